// Makes the one file that is committed: template, style and script in one, with the hash of the script as the only one
// that may run. The same sources give the same bytes.

import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { build } from "esbuild";

const out = process.argv[2] ?? "../crates/views/assets/report.html";
const made = await build({
  entryPoints: ["src/main.ts"],
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2022",
  charset: "utf8",
  legalComments: "none",
  write: false,
});
const style = await build({ entryPoints: ["src/style.css"], bundle: true, minify: true, charset: "utf8", write: false });
const script = made.outputFiles[0].text.trim();
if (/<\/script|<!--/i.test(script)) throw new Error("the script would end its own element");
const hash = createHash("sha256").update(script, "utf8").digest("base64");
const page = readFileSync("src/template.html", "utf8")
  .replace("@LICENCES@", () => readFileSync("src/licences.txt", "utf8").trim())
  .replace("@HASH@", () => hash)
  .replace("@STYLE@", () => style.outputFiles[0].text.trim())
  .replace("@SCRIPT@", () => script);
writeFileSync(out, page);
console.log(`${out}: ${Buffer.byteLength(page)} bytes`);
