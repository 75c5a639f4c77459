// What the tests share: a real service in a process of its own, and servers on loopback that do as a script says.
import { execFile, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { type IncomingMessage, type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { MemoryClient } from "../src/index.js";

const run = promisify(execFile);
const MAIN = "from service.cli.main import main; main()";
const GIVE_UP_MS = 120_000;
const OFTEN_MS = 30;

export interface RunningService {
  url: string;
  memory: MemoryClient;
  stop(): Promise<void>;
}

/** Start `mind-memory serve` on a new home; with *key*, it wants one, and the client has it. */
export async function startService({ key = false } = {}): Promise<RunningService> {
  const home = await mkdtemp(join(tmpdir(), "mind-memory-ts-"));
  const python = process.env.TEST_PYTHON ?? "python3";
  const root = new URL("../../../", import.meta.url).pathname;
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith("MIND_MEMORY_"));
  const paths = { PYTHONPATH: `${root}:${join(root, "client")}`, COLUMNS: "200", MIND_MEMORY_LOG_LEVEL: "ERROR" };
  const how = { cwd: home, env: { ...Object.fromEntries(own), ...paths } };
  const made = key ? await run(python, ["-c", MAIN, "keys", "create", "--home", home, "--name", "a bot"], how) : undefined;
  const child = spawn(python, ["-c", MAIN, "serve", "--home", home, "--port", "0"], { ...how, stdio: ["ignore", "pipe", "inherit"] });
  const ended = new Promise<void>((go) => child.once("exit", () => go()));
  let said = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (said += text));
  const url = await soon(() => {
    if (child.exitCode !== null) throw new Error(`the service ended by itself: ${said}`);
    return /https?:\/\/127\.0\.0\.1:\d+/.exec(said)?.[0];
  });
  const memory = new MemoryClient({ url, ...(made ? { key: made.stdout.trim() } : {}) });
  return {
    url,
    memory,
    async stop() {
      child.kill("SIGTERM");
      await ended;
      await rm(home, { recursive: true, force: true });
    },
  };
}

/** Look again and again until something is so. */
export async function soon<T>(look: () => T | undefined | false | Promise<T | undefined | false>): Promise<T> {
  const until = Date.now() + GIVE_UP_MS;
  while (Date.now() < until) {
    const found = await look();
    if (found) return found;
    await new Promise((go) => setTimeout(go, OFTEN_MS));
  }
  throw new Error("it never came true");
}

/** Wait until every turn of a mind is read. */
export async function digested(memory: MemoryClient, mind: string): Promise<void> {
  await soon(async () => {
    const { graph, last_sequence: last } = await memory.call("get", "/v1/minds/{mind_id}", { path: { mind_id: mind } });
    return graph.saved >= last && graph.lag === 0;
  });
}

export interface Heard {
  method: string;
  path: string;
  headers: IncomingMessage["headers"];
  body: Record<string, unknown>;
}

export interface Scripted {
  url: string;
  heard: Heard[];
  stop(): Promise<void>;
}

/** A server on loopback that answers as *answer* says. */
export async function serve(answer: (heard: Heard, response: ServerResponse) => void | Promise<void>): Promise<Scripted> {
  const heard: Heard[] = [];
  const server = createServer((request, response) => {
    let text = "";
    request.setEncoding("utf8").on("data", (part: string) => (text += part));
    request.on("end", () => {
      const one = { method: request.method ?? "", path: request.url ?? "", headers: request.headers, body: text ? (JSON.parse(text) as Heard["body"]) : {} };
      heard.push(one);
      void answer(one, response);
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

/** A model that speaks OpenAI's API: it answers *words*, streamed where it is asked to, or calls a tool first. */
export function model(words: string, { tool }: { tool?: string } = {}): Promise<Scripted> {
  return serve((heard, response) => {
    const messages = heard.body.messages as { role: string }[];
    const callsTool = tool !== undefined && messages.at(-1)?.role !== "tool";
    const call = { index: 0, id: "call-1", type: "function", function: { name: tool, arguments: "{}" } };
    const finish = callsTool ? "tool_calls" : "stop";
    const head = { id: "c1", created: 1, model: "scripted" };
    if (!heard.body.stream) {
      const message = callsTool ? { role: "assistant", content: null, tool_calls: [call] } : { role: "assistant", content: words };
      response.setHeader("Content-Type", "application/json");
      response.end(JSON.stringify({ ...head, object: "chat.completion", choices: [{ index: 0, message, finish_reason: finish }], usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } }));
      return;
    }
    response.setHeader("Content-Type", "text/event-stream");
    const deltas = callsTool ? [{ role: "assistant", tool_calls: [call] }] : words.split(/(?<= )/).map((content) => ({ content }));
    for (const delta of [...deltas, {}]) {
      const last = Object.keys(delta).length === 0;
      const choices = [{ index: 0, delta, finish_reason: last ? finish : null }];
      response.write(`data: ${JSON.stringify({ ...head, object: "chat.completion.chunk", choices })}\n\n`);
    }
    response.end("data: [DONE]\n\n");
  });
}

/** The words of a prompt that a model heard. */
export function promptOf(heard: Heard | undefined): string {
  return JSON.stringify(heard?.body.messages ?? "");
}
