// Writes the table of standard input by ExcelJS to the file that the argument names.
const { Workbook } = require("exceljs");
const [headings, rows] = JSON.parse(require("fs").readFileSync(0, "utf8"));

function valueOf({ value, kind, formula }) {
  if (kind === "date") return new Date(value.length > 10 ? `${value}Z` : value);
  if (value === "#N/A" && formula) return { formula, result: { error: value } };
  return formula ? { formula, result: value } : value;
}

const book = new Workbook();
const sheet = book.addWorksheet("Sheet");
sheet.addRow(headings);
for (const cells of rows) {
  const row = sheet.addRow(cells.map(valueOf));
  cells.forEach((cell, index) => (row.getCell(index + 1).numFmt = cell.format));
}
book.xlsx.writeFile(process.argv[2]);
