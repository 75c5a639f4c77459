// Retries, by the rules of the Python client: a turn is stored once, a busy service is waited for, an abort ends it.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  Conflict, MemoryClient, RateLimited, RequestRefused, type RetryPolicy, TimedOut, TurnUnsaved, Unavailable, UnexpectedAnswer, Unreachable, type UnsavedTurn,
  Unsendable,
  type WrapOptions,
} from "mind-memory-client";
import { type Reply, type Scripted, scripted } from "./service.js";

const QUICK = { firstBackoffSeconds: 0.01, maxBackoffSeconds: 0.02 };
const HI = { messages: [{ role: "user", content: "Hi" }] };

interface Against extends Partial<RetryPolicy> {
  headers?: Record<string, string>;
}

/** Work with a service that answers *replies*, and stop it. */
async function against(replies: readonly Reply[], work: (memory: MemoryClient, heard: Scripted["heard"]) => Promise<void>, { headers, ...retry }: Against = {}) {
  const { url, heard, stop } = await scripted(replies, headers);
  try {
    await work(new MemoryClient({ url, retry: { ...QUICK, ...retry } }), heard);
  } finally {
    await stop();
  }
}

for (const replies of [[503, 429, 507], [502, 504], ["break", "break"], ["half", "half"]] as const) {
  test(`after ${replies.join(", ")} the same turn is sent again, with its id`, () =>
    against(replies, async (memory, heard) => {
      assert.equal((await memory.storeTurn("ada", "s1", "Hello.")).sequence, 1);
      const sent = await heard();
      assert.equal(sent.length, replies.length + 1);
      assert.equal(new Set(sent.map((one) => one.body.turn_id)).size, 1);
      assert.ok(sent[0]?.body.turn_id);
    }));
}

test("the turns of a batch keep the ids that were made for them", () =>
  against([503], async (memory, heard) => {
    await memory.storeTurns("ada", [{ session_id: "s1", messages: "Hello." }]);
    const [first, second] = await heard();
    assert.ok(first);
    assert.deepEqual(first.body, second?.body);
  }));

test("Retry-After is waited for", () =>
  against([429], async (memory) => {
    const began = performance.now();
    await memory.storeTurn("ada", "s1", "Hello.");
    assert.ok(performance.now() - began >= 1000);
  }, { headers: { "Retry-After": "1" } }));

const DATE = "Sun, 06 Nov 1994 08:49:30 GMT";

test("a date is waited for, by the answer's own clock", () =>
  against([429], async (memory) => {
    const began = performance.now();
    await memory.storeTurn("ada", "s1", "Hello.");
    assert.ok(performance.now() - began >= 1000);
  }, { headers: { "Retry-After": "Sun, 06 Nov 1994 08:49:31 GMT", Date: DATE } }));

test("an error says in seconds how long to wait", () =>
  against([429], async (memory) => {
    await assert.rejects(memory.storeTurn("ada", "s1", "Hello."), (error: RateLimited) => error.retryAfter === 60);
  }, { maxAttempts: 1, headers: { "Retry-After": "Sun, 06 Nov 1994 08:50:30 GMT", Date: DATE } }));

for (const words of [DATE, "soon"]) {
  test(`"${words}" asks for no pause of its own`, () =>
    against([429], async (memory) => {
      await memory.storeTurn("ada", "s1", "Hello.");
    }, { totalSeconds: 5, headers: { "Retry-After": words } }));
}

test("a refusal is not sent again", () =>
  against([409], async (memory, heard) => {
    await assert.rejects(memory.storeTurn("ada", "s1", "Hello."), Conflict);
    assert.equal((await heard()).length, 1);
  }));

test("attempts end", () =>
  against([503, 503, 503, 503, 503], async (memory, heard) => {
    await assert.rejects(memory.storeTurn("ada", "s1", "Hello."), Unavailable);
    assert.equal((await heard()).length, 4);
  }));

test("a turn is not held up: the call before it is sent twice at most", () =>
  against([429, 429, 429, 429], async (memory, heard) => {
    await assert.rejects(memory.resonance("ada", "s1", "Hello."), RateLimited);
    assert.equal((await heard()).length, 2);
  }, { headers: { "Retry-After": "0" } }));

test("a chat is not sent again where a model may have answered", () =>
  against([502], async (memory, heard) => {
    await assert.rejects(memory.chat(HI, { mind: "ada" }), Unavailable);
    assert.equal((await heard()).length, 1);
  }));

test("a chat that was refused untouched is sent again with its key", () =>
  against([503], async (memory, heard) => {
    await memory.chat(HI, { mind: "ada" });
    const keys = (await heard()).map((one) => one.headers["idempotency-key"]);
    assert.equal(keys.length, 2);
    assert.ok(keys[0]);
    assert.equal(keys[0], keys[1]);
  }));

test("an abort ends a call and its pauses, with its own reason", () =>
  against([503, 503, 503, 503], async (memory, heard) => {
    const ended = new AbortController();
    const stored = memory.storeTurn("ada", "s1", "Hello.", { signal: ended.signal });
    while (!(await heard()).length) await new Promise((go) => setTimeout(go, 5));
    ended.abort(new Error("enough"));
    await assert.rejects(stored, /enough/);
    assert.equal((await heard()).length, 1);
  }, { headers: { "Retry-After": "20" } }));

const ONCE = { maxAttempts: 1, totalSeconds: 0.2 };

test("a service that is silent is too late", () =>
  against(["silence"], (memory) => assert.rejects(memory.storeTurn("ada", "s1", "Hi."), TimedOut), ONCE));

test("an answer that does not end is too late", () =>
  against(["endless"], (memory) => assert.rejects(memory.storeTurn("ada", "s1", "Hi."), TimedOut), ONCE));

test("something else that answers is not taken for the service", () =>
  against(["page"], (memory) => assert.rejects(memory.storeTurn("ada", "s1", "Hi."), UnexpectedAnswer), { maxAttempts: 1 }));

test("a service that is away is unreachable", () =>
  assert.rejects(new MemoryClient({ url: "http://127.0.0.1:9", retry: QUICK }).storeTurn("ada", "s1", "Hi."), Unreachable));

test("a turn goes on without memory, and one that can not be stored is sent after the next", () =>
  against(Array<number>(6).fill(503), async (memory, heard) => {
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
    assert.deepEqual((await heard()).slice(-2).map((one) => one.body.turn_id), [next.turnId, first?.turnId]);
  }));

test("with onUnsaved raise, a turn that is not stored is an error that can be sent again", () =>
  against(Array<number>(6).fill(503), async (memory) => {
    const failed = await memory.turn("ada", "s1", "Hello.", (turn) => turn.answer("Hi."), { onUnsaved: "raise" }).catch((error: unknown) => error);
    assert.ok(failed instanceof TurnUnsaved);
    assert.equal((await memory.resend(failed.unsaved)).sequence, 1);
  }));

const AWAY = new Unreachable("away");
const unsaved = (turnId: string): UnsavedTurn => ({ mind: "ada", turnId, body: { turn_id: turnId, ...HI }, error: AWAY });

/** A turn with no words before it, answered and stored. */
async function answered(memory: MemoryClient, turnId: string): Promise<void> {
  const turn = await memory.begin("ada", "s1", [], { turnId });
  turn.answer("Next.");
  await memory.end(turn);
}

/** A client, and the ids of the turns that it sends; *answer* says the status of each. */
function answering(answer: (turnId: string) => number | Promise<number>): { memory: MemoryClient; sent: string[] } {
  const sent: string[] = [];
  const memory = new MemoryClient({
    url: "http://127.0.0.1:9",
    retry: { maxAttempts: 1 },
    fetch: async (_, init) => {
      const { turn_id: turnId } = JSON.parse(String(init?.body)) as { turn_id: string };
      sent.push(turnId);
      const status = await answer(turnId);
      return new Response("{}", { status, headers: { "Content-Type": "application/problem+json" } });
    },
  });
  return { memory, sent };
}

test("where turns end at once, what waits is sent once, and none of it is lost", async () => {
  let answeredNow = 0;
  let bothAnswered = () => {};
  const both = new Promise<void>((go) => (bothAnswered = go));
  const { memory, sent } = answering(async (turnId) => {
    if (turnId.startsWith("now") && ++answeredNow === 2) bothAnswered();
    if (turnId === "waits-1") await both;
    return turnId === "waits-2" ? 503 : 202;
  });
  memory.unsaved.push(unsaved("waits-1"), unsaved("waits-2"));

  await Promise.all([answered(memory, "now-1"), answered(memory, "now-2")]);

  assert.equal(sent.filter((turnId) => turnId === "waits-1").length, 1);
  assert.deepEqual(memory.unsaved.map((one) => one.turnId), ["waits-2"]);
});

test("a turn whose mind is not for this key waits behind the others, which are sent", async () => {
  for (const refused of [403, 404]) {
    const { memory, sent } = answering((turnId) => (turnId === "waits-1" ? refused : 202));
    memory.unsaved.push(unsaved("waits-1"), unsaved("waits-2"));

    await answered(memory, "now");

    assert.deepEqual(sent, ["now", "waits-1", "waits-2"]);
    assert.deepEqual(memory.unsaved.map((one) => one.turnId), ["waits-1"]);
  }
});

test("a turn that is lost is logged: one that is refused for good, and the oldest of too many", async () => {
  const { error } = console;
  const logged: string[] = [];
  console.error = (line: string) => logged.push(line);
  try {
    const refusing = answering((turnId) => (turnId === "waits" ? 409 : 202)).memory;
    refusing.unsaved.push(unsaved("waits"));
    await answered(refusing, "now");
    const { memory } = answering(() => 503);
    memory.unsaved.push(...Array.from({ length: 1000 }, (_, number) => unsaved(`waits-${number}`)));
    await answered(memory, "now");
    assert.deepEqual([refusing.unsaved.length, memory.unsaved.length], [0, 1000]);
  } finally {
    console.error = error;
  }
  assert.deepEqual(logged, [
    "turn waits of ada is lost: 409 : ",
    "turn now of ada is not stored but queued: 503 : ",
    "turn waits-0 is lost: too many turns could not be stored",
  ]);
});

test("a turn that JSON can not hold is lost, and holds up no other", async () => {
  const { error } = console;
  const logged: string[] = [];
  console.error = (line: string) => logged.push(line);
  try {
    const { memory, sent } = answering(() => 202);
    const turn = await memory.begin("ada", "s1", [], { turnId: "bad", metadata: { id: 5n } });
    turn.answer("Hi.");
    await memory.end(turn);
    memory.unsaved.push(unsaved("waits"));
    await answered(memory, "now");
    assert.deepEqual([sent, memory.unsaved.length], [["now", "waits"], 0]);
    await assert.rejects(memory.storeTurn("ada", "s1", "Hi.", { metadata: { id: 5n } }), Unsendable);
  } finally {
    console.error = error;
  }
  assert.match(logged.join(), /turn bad of ada is lost: it can not be sent as JSON/);
});

const MOVED = [{ role: "user", content: "I moved to Bonn." }];

/** A turn whose model fails. */
const unansweredTurn = (memory: MemoryClient, words = MOVED) =>
  assert.rejects(memory.turn("ada", "s1", words, () => Promise.reject(new Error("the model is away"))), /away/);

const answeredTurn = (memory: MemoryClient, words = MOVED, options: WrapOptions = {}) =>
  memory.turn("ada", "s1", words, (turn) => turn.answer("Nice."), options);

const contentsOf = (body: Record<string, unknown>) => (body.messages as { content: string }[]).map((one) => one.content);

test("what the user said and waits to be stored is stored with its answer, and once", () =>
  against([503, 503, 503], async (memory, heard) => {
    await unansweredTurn(memory);
    assert.equal(memory.unsaved.length, 1);
    await answeredTurn(memory);

    const stored = (await heard()).slice(2).filter((one) => one.path.endsWith("/turns"));
    assert.deepEqual(stored.map((one) => contentsOf(one.body)), [["I moved to Bonn.", "Nice."]]);
    assert.equal(memory.unsaved.length, 0);
  }, { maxAttempts: 1 }));

test("a turn that is queued takes the place of what the user said in it and waits, answered or not", () =>
  against(Array<number>(6).fill(503), async (memory) => {
    const more = [...MOVED, { role: "user", content: "I have a cat." }];
    await unansweredTurn(memory);
    await unansweredTurn(memory, more);
    assert.deepEqual(memory.unsaved.map((one) => contentsOf(one.body)), [["I moved to Bonn.", "I have a cat."]]);
    await answeredTurn(memory, more);
    assert.deepEqual(memory.unsaved.map((one) => contentsOf(one.body)), [["I moved to Bonn.", "I have a cat.", "Nice."]]);
  }, { maxAttempts: 1 }));

test("what the user said waits on where the turn with its answer is handed to onUnsaved", () =>
  against(Array<number>(4).fill(503), async (memory) => {
    await unansweredTurn(memory);
    await assert.rejects(answeredTurn(memory, MOVED, { onUnsaved: "raise" }), TurnUnsaved);
    assert.deepEqual(memory.unsaved.map((one) => contentsOf(one.body)), [["I moved to Bonn."]]);
  }, { maxAttempts: 1 }));

test("what the user said is not sent with its answer where it was sent out of the queue before", () =>
  against([503, 503, 503, 202, 202, 503, 202, 503], async (memory, heard) => {
    await unansweredTurn(memory);
    await memory.turn("ben", "s2", "Hello.", (turn) => turn.answer("Hi."));
    await answeredTurn(memory);
    await answeredTurn(memory);

    const stored = (await heard()).slice(2).filter((one) => one.path.endsWith("/turns"));
    assert.deepEqual(stored.map((one) => contentsOf(one.body)), [["Hello.", "Hi."], ["I moved to Bonn."], ["Nice."], ["I moved to Bonn.", "Nice."]]);
  }, { maxAttempts: 1 }));

test("the rest of an exchange whose question waits to be stored is stored with the question", () =>
  against([503, 503], async (memory, heard) => {
    const turn = await memory.begin("ada", "s1", MOVED);
    turn.callsTools = true;
    await memory.end(turn);
    const rest = turn.rest();
    rest.answer("Nice.");
    await memory.end(rest);

    const stored = (await heard()).slice(2);
    assert.deepEqual(stored.map((one) => contentsOf(one.body)), [["I moved to Bonn.", "Nice."]]);
    assert.equal(memory.unsaved.length, 0);
  }, { maxAttempts: 1 }));

for (const [status, expected] of [[202, ["Nice."]], [503, ["I moved to Bonn.", "Nice."]]] as const) {
  test(`a turn waits while its words are sent out of the queue, which is answered ${status}`, async () => {
    const stored: string[][] = [];
    let isBack = false;
    let wordsCame = () => {};
    let answerWords = () => {};
    const came = new Promise<void>((go) => (wordsCame = go));
    const answered = new Promise<void>((go) => (answerWords = go));
    const memory = new MemoryClient({
      url: "http://127.0.0.1:9",
      retry: { maxAttempts: 1 },
      fetch: async (_, init) => {
        const body = JSON.parse(String(init?.body)) as Record<string, unknown>;
        const isOfTheQueue = String(body.turn_id).endsWith("-unanswered");
        if (isBack && isOfTheQueue) {
          wordsCame();
          await answered;
        }
        if (isBack && body.turn_id && !isOfTheQueue) stored.push(contentsOf(body));
        const headers = { "Content-Type": "application/problem+json" };
        return new Response("{}", { status: !isBack ? 503 : isOfTheQueue ? status : body.turn_id ? 202 : 503, headers });
      },
    });
    await unansweredTurn(memory);
    const turn = await memory.begin("ada", "s1", MOVED);
    turn.answer("Nice.");
    isBack = true;
    const other = memory.turn("ben", "s2", "Hello.", (one) => one.answer("Hi."));
    await came;
    const ended = memory.end(turn);
    answerWords();
    await Promise.all([other, ended]);

    assert.deepEqual(stored, [["Hello.", "Hi."], [...expected]]);
    assert.equal(memory.unsaved.length, 0);
  });
}

const ID = "retry: 2000\nid: e-1\n\n";
const KEPT = 'id: e-2\nevent: turn.kept\ndata: {}\n\n';

/** A client of a service whose answers are *replies*, one after the other, and from where each of them was to go on. */
function telling(replies: readonly (string | number)[]): { memory: MemoryClient; from: (string | null)[] } {
  const waiting = [...replies];
  const from: (string | null)[] = [];
  const memory = new MemoryClient({
    url: "http://127.0.0.1:9",
    retry: { ...QUICK, maxAttempts: 1 },
    fetch: async (_, init) => {
      from.push(new Headers(init?.headers).get("Last-Event-ID"));
      const reply = waiting.shift() ?? 404;
      if (reply === "away") throw new TypeError("nobody is there");
      if (typeof reply === "number") return new Response("{}", { status: reply, headers: { "Content-Type": "application/problem+json" } });
      const body = reply === "silence" ? untilAborted(init?.signal) : reply;
      return new Response(body, { headers: { "Content-Type": "text/event-stream" } });
    },
  });
  return { memory, from };
}

/** A body of which nothing comes, as fetch ends it. */
const untilAborted = (signal: AbortSignal | null | undefined): ReadableStream<Uint8Array> =>
  new ReadableStream({ start: (way) => signal?.addEventListener("abort", () => way.error(signal.reason)) });

/** What is heard until it ends, and by which error. */
async function heardOf(memory: MemoryClient, options = {}): Promise<[kinds: string[], error: unknown]> {
  const { warn } = console;
  console.warn = () => undefined;
  const kinds: string[] = [];
  try {
    for await (const { kind } of memory.events("ada", options)) kinds.push(kind);
    return [kinds, null];
  } catch (error) {
    return [kinds, error];
  } finally {
    console.warn = warn;
  }
}

test("events are asked for again, from where they were, while nobody answers or who answers is busy, until they are refused", async () => {
  const { memory, from } = telling([ID, "away", 503, 429, 502, "away", KEPT, ":\n\n", 404]);

  const [kinds, error] = await heardOf(memory);

  assert.ok(error instanceof RequestRefused && error.status === 404);
  assert.deepEqual(kinds, ["turn.kept"]);
  assert.deepEqual(from, [null, ...Array<string>(6).fill("e-1"), "e-2", "e-2"]);
});

test("events that are not followed end with what was missed, and with what goes wrong", async () => {
  assert.deepEqual(await heardOf(telling([KEPT + KEPT]).memory, { follow: false }), [["turn.kept", "turn.kept"], null]);
  assert.ok((await heardOf(telling(["away"]).memory, { follow: false }))[1] instanceof Unreachable);
});

test("events of something else than the service are not waited for", () =>
  against(["page", 202], async (memory) => {
    for (let times = 0; times < 2; times++) assert.ok((await heardOf(memory))[1] instanceof UnexpectedAnswer);
  }));

test("a line on which nothing comes any more is given up, and events are asked for again", async () => {
  const { setTimeout: wait } = globalThis;
  const { memory, from } = telling(["silence", KEPT, 404]);
  globalThis.setTimeout = ((done: () => void, ms: number) => wait(done, ms / 1000)) as typeof setTimeout;
  try {
    assert.deepEqual((await heardOf(memory))[0], ["turn.kept"]);
  } finally {
    globalThis.setTimeout = wait;
  }
  assert.deepEqual(from, [null, null, "e-2"]);
});

test("an abort ends the wait for a service that is away", async () => {
  const ended = new AbortController();
  const { memory, from } = telling([ID, ...Array<string>(1000).fill("away")]);
  const heard = heardOf(memory, { signal: ended.signal });
  while (from.length < 3) await new Promise((go) => setTimeout(go, 5));
  ended.abort(new Error("enough"));

  assert.match(String((await heard)[1]), /enough/);
});
