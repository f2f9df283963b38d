// Settings of hey-api: Node.js needs the extensions of imported files.

export default { input: "openapi.json", output: { path: "hey", importFileExtension: ".js" } };
