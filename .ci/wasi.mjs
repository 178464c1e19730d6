// Runs a program that was compiled for WASI, with the arguments, the environment and the current folder of this process.
// Needs: node 18 or later. Usage: node --experimental-wasi-unstable-preview1 .ci/wasi.mjs PROGRAM [ARGUMENT...]
import { readFile } from "node:fs/promises";
import { WASI } from "node:wasi";

const [program, ...rest] = process.argv.slice(2);
const folder = process.cwd();
// The program opens files by relative and by absolute names.
const preopens = { ".": folder, [folder]: folder };
const wasi = new WASI({ version: "preview1", args: [program, ...rest], env: process.env, preopens, returnOnExit: true });
const { instance } = await WebAssembly.instantiate(await readFile(program), { wasi_snapshot_preview1: wasi.wasiImport });
process.exitCode = wasi.start(instance);
