// Serves the tests to a browser: a page that runs one file of them, and, under the same origin, the services that they start,
// as a reverse proxy in front of page and service does. It says its address, and ends with its standard input.
import { readFile } from "node:fs/promises";
import { type IncomingMessage, type ServerResponse, createServer, request as send } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join } from "node:path";
import { type Reply, type RunningService, type Scripted, scripted, startService } from "../service.js";

export interface Started {
  number: number;
  url: string;
  key?: string | undefined;
}

interface Wanted {
  key?: boolean;
  replies?: Reply[];
  headers?: Record<string, string>;
}

const DIST = new URL("../../", import.meta.url).pathname;
const TYPES: Record<string, string> = { ".js": "text/javascript", ".map": "application/json" };
const MODULES = {
  "mind-memory-client": "/dist/src/index.js",
  "node:test": "/dist/test/browser/node_test.js",
  "node:assert/strict": "/dist/test/browser/assert.js",
  "/dist/test/service.js": "/dist/test/browser/service.js",
};
const page = (tests: string): string => `<!doctype html><title>tests</title><link rel="icon" href="data:,">
<script type="importmap">${JSON.stringify({ imports: MODULES })}</script>
<script type="module">
import { run } from "node:test";
globalThis.results = import("/dist/test/${tests}").then(run);
</script>`;

const running: ((RunningService | Scripted) & { key?: string | undefined })[] = [];

async function start({ key, replies, headers }: Wanted): Promise<Started> {
  const made = replies ? await scripted(replies, headers) : await startService({ key: key ?? false });
  const number = running.push(made) - 1;
  return { number, url: made.url, ...("key" in made ? { key: made.key } : {}) };
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname, search } = new URL(request.url ?? "/", "http://page");
  const [, verb = "", name = ""] = pathname.split("/");
  const one = running[Number(name)];
  if (verb === "at" && one) return pass(request, response, one.url, request.url?.slice(`/at/${name}`.length) ?? "/");
  if (verb === "tests") return void response.setHeader("Content-Type", "text/html").end(page(search.slice(1)));
  if (verb === "dist") {
    const text = await readFile(join(DIST, pathname.slice("/dist/".length)));
    return void response.setHeader("Content-Type", TYPES[extname(pathname)] ?? "text/plain").end(text);
  }
  let said: unknown;
  if (verb === "start") said = await start(JSON.parse(await textOf(request)) as Wanted);
  else if (verb === "heard" && one && "heard" in one) said = await one.heard();
  else if (verb === "stop" && one) said = (await one.stop()) ?? {};
  else return void response.writeHead(404).end();
  response.setHeader("Content-Type", "application/json").end(JSON.stringify(said));
}

/** Pass a request on as it is, with its Host, and what comes back as it comes; a break on one side breaks the other. */
function pass(request: IncomingMessage, response: ServerResponse, url: string, path: string): void {
  const { hostname, port } = new URL(url);
  const sent = send({ hostname, port, path, method: request.method, headers: request.headers, agent: false }, (got) => {
    response.writeHead(got.statusCode ?? 502, got.headers);
    response.flushHeaders();
    got.pipe(response).on("error", () => undefined);
    got.on("error", () => response.destroy());
  });
  sent.on("error", () => response.destroy());
  response.on("close", () => sent.destroy());
  request.pipe(sent);
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const part of request.setEncoding("utf8")) text += part;
  return text;
}

const server = createServer((request, response) => {
  answer(request, response).catch((error: unknown) => response.writeHead(500).end(String(error)));
});
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
process.stdin.resume().on("end", () => {
  void Promise.allSettled(running.map((one) => one.stop())).then(() => process.exit());
});
