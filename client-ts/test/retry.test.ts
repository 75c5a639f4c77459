// Retries, by the rules of the Python client: a turn is stored once, a busy service is waited for, an abort ends it.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  Conflict, MemoryClient, RateLimited, TimedOut, TurnUnsaved, Unavailable, UnexpectedAnswer, Unreachable,
} from "../src/index.js";
import { type Scripted, serve } from "./service.js";

const QUICK = { firstBackoffSeconds: 0.01, maxBackoffSeconds: 0.02 };
const STORED = { mind_id: "ada", turn_id: "t", sequence: 1, accepted_at: "2026-01-01T00:00:00Z", pending_tokens: 0, dropped: [], duplicate: false, outcomes: null };

/** A service that answers *statuses* one after the other, then a stored turn; 0 breaks the connection. */
async function scripted(statuses: number[], headers: Record<string, string> = {}): Promise<Scripted & { memory: MemoryClient }> {
  const waiting = [...statuses];
  const server = await serve((_, response) => {
    const status = waiting.shift() ?? 202;
    if (status === 0) return void response.destroy();
    const isProblem = status >= 400;
    response.writeHead(status, { "Content-Type": isProblem ? "application/problem+json" : "application/json", ...(isProblem ? headers : {}) });
    response.end(JSON.stringify(isProblem ? { type: "/problems/some-problem", title: "A problem", status, detail: "so it is" } : STORED));
  });
  return { ...server, memory: new MemoryClient({ url: server.url, retry: QUICK }) };
}

for (const statuses of [[503, 429, 507], [502, 504], [0, 0]]) {
  test(`after ${statuses.join(", ")} the same turn is sent again, with its id`, async () => {
    const { memory, heard, stop } = await scripted(statuses);
    try {
      assert.equal((await memory.storeTurn("ada", "s1", "Hello.")).sequence, 1);
      assert.equal(heard.length, statuses.length + 1);
      assert.equal(new Set(heard.map((one) => one.body.turn_id)).size, 1);
      assert.ok(heard[0]?.body.turn_id);
    } finally {
      await stop();
    }
  });
}

test("the turns of a batch keep the ids that were made for them", async () => {
  const { memory, heard, stop } = await scripted([503]);
  try {
    await memory.storeTurns("ada", [{ session_id: "s1", messages: "Hello." }]);
    assert.deepEqual(heard[0]?.body, heard[1]?.body);
  } finally {
    await stop();
  }
});

test("Retry-After is waited for", async () => {
  const { memory, stop } = await scripted([429], { "Retry-After": "1" });
  try {
    const began = performance.now();
    await memory.storeTurn("ada", "s1", "Hello.");
    assert.ok(performance.now() - began >= 1000);
  } finally {
    await stop();
  }
});

test("a refusal is not sent again, and attempts end", async () => {
  const refused = await scripted([409]);
  const away = await scripted([503, 503, 503, 503, 503]);
  const limited = await scripted([429, 429, 429, 429], { "Retry-After": "0" });
  try {
    await assert.rejects(refused.memory.storeTurn("ada", "s1", "Hello."), Conflict);
    assert.equal(refused.heard.length, 1);
    await assert.rejects(away.memory.storeTurn("ada", "s1", "Hello."), Unavailable);
    assert.equal(away.heard.length, 4);
    await assert.rejects(limited.memory.resonance("ada", "s1", "Hello."), RateLimited);
    assert.equal(limited.heard.length, 2); // a turn must not be held up
  } finally {
    await Promise.all([refused.stop(), away.stop(), limited.stop()]);
  }
});

test("a chat is not sent again where a model may have answered", async () => {
  const unclear = await scripted([502]);
  const busy = await scripted([503]);
  try {
    await assert.rejects(unclear.memory.chat({ messages: [{ role: "user", content: "Hi" }] }, { mind: "ada" }), Unavailable);
    assert.equal(unclear.heard.length, 1);
    await busy.memory.chat({ messages: [{ role: "user", content: "Hi" }] }, { mind: "ada" });
    assert.equal(busy.heard.length, 2);
    assert.equal(busy.heard[0]?.headers["idempotency-key"], busy.heard[1]?.headers["idempotency-key"]);
  } finally {
    await Promise.all([unclear.stop(), busy.stop()]);
  }
});

test("an abort ends a call and its pauses, with its own reason", async () => {
  const { memory, heard, stop } = await scripted([503, 503, 503, 503], { "Retry-After": "20" });
  try {
    const ended = new AbortController();
    const stored = memory.storeTurn("ada", "s1", "Hello.", { signal: ended.signal });
    while (!heard.length) await new Promise((go) => setTimeout(go, 5));
    ended.abort(new Error("enough"));
    await assert.rejects(stored, /enough/);
    assert.equal(heard.length, 1);
  } finally {
    await stop();
  }
});

test("a service that is silent, away, or something else is told apart", async () => {
  const silent = await serve(() => undefined);
  const page = await serve((_, response) => void response.writeHead(418).end("I am a teapot"));
  try {
    const retry = { ...QUICK, maxAttempts: 1, totalSeconds: 0.2 };
    await assert.rejects(new MemoryClient({ url: silent.url, retry }).storeTurn("ada", "s1", "Hi."), TimedOut);
    await assert.rejects(new MemoryClient({ url: page.url, retry }).storeTurn("ada", "s1", "Hi."), UnexpectedAnswer);
    await assert.rejects(new MemoryClient({ url: "http://127.0.0.1:9", retry }).storeTurn("ada", "s1", "Hi."), Unreachable);
  } finally {
    await Promise.all([silent.stop(), page.stop()]);
  }
});

test("a turn goes on without memory, and one that can not be stored is sent after the next", async () => {
  const { memory, heard, stop } = await scripted(Array<number>(6).fill(503));
  try {
    await memory.turn("ada", "s1", "Hello.", (turn) => {
      assert.deepEqual(turn.resonance?.degraded, ["memory_unavailable"]);
      turn.answer("Hi.");
    });
    assert.equal(memory.unsaved.length, 1);
    const [first] = memory.unsaved;

    const next = await memory.begin("ada", "s1", []);
    next.answer("Next.");
    await memory.end(next);

    assert.equal(memory.unsaved.length, 0);
    assert.deepEqual(heard.slice(-2).map((one) => one.body.turn_id), [next.turnId, first?.turnId]);
  } finally {
    await stop();
  }
});

test("with onUnsaved raise, a turn that is not stored is an error that can be sent again", async () => {
  const { memory, stop } = await scripted(Array<number>(6).fill(503));
  try {
    const failed = await memory.turn("ada", "s1", "Hello.", (turn) => turn.answer("Hi."), { onUnsaved: "raise" }).catch((error: unknown) => error);
    assert.ok(failed instanceof TurnUnsaved);
    assert.equal((await memory.resend(failed.unsaved)).sequence, 1);
  } finally {
    await stop();
  }
});
