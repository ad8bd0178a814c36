const { WASI } = require("wasi");
const wasi = new WASI({ version: "preview1", args: ["program"], returnOnExit: true });
const module = new WebAssembly.Module(require("fs").readFileSync(process.argv[1]));
process.exitCode = wasi.start(new WebAssembly.Instance(module, wasi.getImportObject()));
