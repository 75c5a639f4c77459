// Builds the console into service/console/static: one page, and assets whose names hold their hashes.
import { build } from "esbuild";
import { rm, writeFile } from "node:fs/promises";
import { relative, resolve } from "node:path";

const HERE = import.meta.dirname;
const OUT = resolve(HERE, "../service/console/static");

await rm(OUT, { recursive: true, force: true });
const built = await build({
  absWorkingDir: HERE,
  entryPoints: { console: "src/main.tsx", style: "src/style/main.css" },
  outdir: resolve(OUT, "assets"),
  entryNames: "[name]-[hash]",
  chunkNames: "[name]-[hash]",
  assetNames: "[name]-[hash]",
  bundle: true,
  splitting: true,
  format: "esm",
  target: ["es2022"],
  jsx: "automatic",
  jsxImportSource: "preact",
  minify: true,
  legalComments: "linked",
  metafile: true,
  logLevel: "warning",
});

const named = (start, end) => {
  const found = Object.keys(built.metafile.outputs).find((file) => {
    const name = file.split("/").pop();
    return name.startsWith(`${start}-`) && name.endsWith(end);
  });
  return relative(OUT, resolve(HERE, found)).replaceAll("\\", "/");
};

const page = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Mind Memory</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${named("style", ".css")}">
<script type="module" src="${named("console", ".js")}"></script>
</head>
<body><div id="console"><noscript>The console needs JavaScript. All that it shows is at /docs as well.</noscript></div></body>
</html>
`;
await writeFile(resolve(OUT, "index.html"), page);
