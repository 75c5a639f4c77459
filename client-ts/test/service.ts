// What the tests share: a real service in a process of its own, and servers on loopback that do as a script says.
// A browser has browser/service.ts in its place.
import { execFile, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { type IncomingHttpHeaders, type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { MemoryClient } from "mind-memory-client";
import { soon } from "./waiting.js";

const run = promisify(execFile);
const MAIN = "from service.cli.main import main; main()";
const PATIENT = { totalSeconds: 120 }; // a machine may be busy; the tests of retries have policies of their own
const STORED = { mind_id: "ada", turn_id: "t", sequence: 1, accepted_at: "2026-01-01T00:00:00Z", pending_tokens: 0, dropped: [], duplicate: false, outcomes: null };

export interface RunningService {
  url: string;
  key: string | undefined;
  memory: MemoryClient;
  stop(): Promise<void>;
}

/** Start `mind-memory serve` on a new home; with *key*, it wants one, and the client has it. */
export async function startService({ key: isGuarded = false } = {}): Promise<RunningService> {
  const home = await mkdtemp(join(tmpdir(), "mind-memory-ts-"));
  const { TEST_PYTHON: python = "python3", TEST_ROOT: root = "." } = process.env;
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith("MIND_MEMORY_"));
  const paths = { PYTHONPATH: `${root}:${join(root, "client")}`, COLUMNS: "200", MIND_MEMORY_LOG_LEVEL: "ERROR" };
  const how = { cwd: home, env: { ...Object.fromEntries(own), ...paths } };
  const made = isGuarded ? await run(python, ["-c", MAIN, "keys", "create", "--home", home, "--name", "a bot"], how) : undefined;
  const child = spawn(python, ["-c", MAIN, "serve", "--home", home, "--port", "0"], { ...how, stdio: ["ignore", "pipe", "inherit"] });
  const ended = new Promise<void>((go) => child.once("exit", () => go()));
  process.once("exit", () => child.kill("SIGTERM")); // also where tests end before they stop it
  let said = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (said += text));
  const url = await soon(() => {
    if (child.exitCode !== null) throw new Error(`the service ended by itself: ${said}`);
    return /https?:\/\/127\.0\.0\.1:\d+/.exec(said)?.[0];
  });
  const key = made?.stdout.trim();
  return {
    url,
    key,
    memory: new MemoryClient({ url, retry: PATIENT, ...(key ? { key } : {}) }),
    async stop() {
      child.kill("SIGTERM");
      await ended;
      await rm(home, { recursive: true, force: true });
    },
  };
}

export interface Heard {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: Record<string, unknown>;
}

export interface Listening {
  url: string;
  heard: Heard[];
  stop(): Promise<void>;
}

/** A server on loopback that answers as *answer* says. */
export async function listen(answer: (heard: Heard, response: ServerResponse) => void): Promise<Listening> {
  const heard: Heard[] = [];
  const server = createServer((request, response) => {
    let text = "";
    request.setEncoding("utf8").on("data", (part: string) => (text += part));
    request.on("end", () => {
      const body = text ? (JSON.parse(text) as Heard["body"]) : {};
      const one = { method: request.method ?? "", path: request.url ?? "", headers: request.headers, body };
      heard.push(one);
      answer(one, response);
    });
  });
  await new Promise<void>((go) => server.listen(0, "127.0.0.1", go));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    heard,
    stop: () => new Promise((go) => {
      server.closeAllConnections();
      server.close(() => go());
    }),
  };
}

/** An answer of a scripted service: a problem of a status, a connection or an answer that breaks, none at all, one without an end, or a page. */
export type Reply = number | "break" | "half" | "silence" | "endless" | "page";

export interface Scripted {
  url: string;
  heard(): Promise<Heard[]>;
  stop(): Promise<void>;
}

/** A service that answers *replies* one after the other, then with a stored turn. */
export async function scripted(replies: readonly Reply[], headers: Record<string, string> = {}): Promise<Scripted> {
  const waiting = [...replies];
  const { url, heard, stop } = await listen((_, response) => {
    const reply = waiting.shift() ?? 202;
    if (reply === "silence") return;
    if (reply === "break") return void response.destroy();
    if (reply === "page") return void response.writeHead(418, { "Content-Type": "text/plain" }).end("I am a teapot");
    if (reply === "half" || reply === "endless") {
      response.writeHead(202, { "Content-Type": "application/json" }).write('{"mind_id":', () => reply === "half" && response.destroy());
      return;
    }
    const isProblem = reply >= 400;
    response.writeHead(reply, { "Content-Type": isProblem ? "application/problem+json" : "application/json", ...(isProblem ? headers : {}) });
    response.end(JSON.stringify(isProblem ? { type: "/problems/some-problem", title: "A problem", status: reply, detail: "so it is" } : STORED));
  });
  return { url, heard: async () => heard, stop };
}
