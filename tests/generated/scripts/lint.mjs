// Redocly's rules on the document whose path is given; fails on errors, and prints warnings.

import { createConfig, formatProblems, getTotals, lint } from "@redocly/openapi-core";

const config = await createConfig({ extends: ["recommended"] });
const problems = await lint({ ref: process.argv[2], config });
formatProblems(problems, { totals: getTotals(problems), format: "stylish" });
process.exitCode = problems.some((problem) => problem.severity === "error") ? 1 : 0;
