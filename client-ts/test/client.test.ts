// The client against a real service: the two calls, batches, recall, outcomes, chats, events.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { InvalidRequest, MemoryClient, MindNotFound, type ServerEvent, Unauthenticated, Unsendable } from "mind-memory-client";
import { type RunningService, startService } from "./service.js";
import { digested, soon } from "./waiting.js";

const LYON = "My mother lives in Lyon.";
const ASKS = "Where does my mother live?";

let service: RunningService;
let memory: MemoryClient;
before(async () => {
  service = await startService({ key: true });
  memory = service.memory;
});
after(() => service.stop());

test("what was stored surfaces before a later turn, with its source", async () => {
  const stored = await memory.storeTurn("ada", "s1", [{ role: "user", content: LYON }], { turnId: "t1" });
  const again = await memory.storeTurn("ada", "s1", [{ role: "user", content: LYON, timestamp: undefined }], { turnId: "t1" });
  await digested(memory, "ada");

  const found = await memory.resonance("ada", "s2", ASKS, { deadlineMs: 0 });

  assert.equal(stored.sequence, 1);
  assert.equal(again.duplicate, true);
  assert.match(found.block, /Lyon/);
  assert.equal(found.flashbacks[0]?.sources[0]?.turn_id, "t1");
});

test("a turn around a model call recalls, places memory among the messages, and stores what was said", async () => {
  const given = [{ role: "system", content: "Be kind." }, { role: "user", content: ASKS }];

  const answer = await memory.turn("ada", "s3", given, (turn) => {
    assert.match(turn.block, /Lyon/);
    assert.deepEqual(turn.messages.map((one) => one.role), ["system", "system", "user"]);
    assert.equal(given.length, 2);
    turn.add("In ");
    turn.add("Lyon.");
    return "done";
  });

  assert.equal(answer, "done");
  const { items } = await memory.call("get", "/v1/minds/{mind_id}/turns", { path: { mind_id: "ada" }, query: { session_id: "s3" } });
  assert.deepEqual(items[0]?.messages.map((one) => one.content), [ASKS, "In Lyon."]);
});

test("a turn of a wrong time zone goes on without memory, which is logged", async () => {
  const { error } = console;
  const logged: string[] = [];
  console.error = (line: string) => logged.push(line);
  try {
    await memory.turn("zoe", "s1", "Hello.", (turn) => turn.answer("Hi."), { timezone: "Mars/Phobos" });
    await memory.turn("zoe", "s1", "And?", (turn) => turn.answer("Hi."), { timezone: "Europe/Paris" });
  } finally {
    console.error = error;
  }

  assert.equal(logged.length, 1);
  assert.match(logged.join(), /^nothing surfaces in zoe: 422 invalid-request: #\/timezone: /);
});

test("words in parts, and roles as other APIs call them, are stored", async () => {
  const given = [
    { role: "human", content: "I have a dog." }, { role: "ai", content: "Which?" },
    { id: "m1", role: "user", parts: [{ type: "reasoning", text: "Hm." }, { type: "text", text: "Rex." }] },
    { role: "model", parts: [{ text: "A good name." }] },
  ];

  await memory.storeTurn("rex", "s1", given);

  const { items } = await memory.call("get", "/v1/minds/{mind_id}/turns", { path: { mind_id: "rex" } });
  assert.deepEqual(items[0]?.messages.map(({ role, content }) => [role, content]), [
    ["user", "I have a dog."], ["assistant", "Which?"], ["user", "Rex."], ["assistant", "A good name."],
  ]);
});

test("half an emoji is stored as a mark, and two halves as one", async () => {
  const [first, second] = ["\ud83d", "\ude00"];
  for (const said of [`Hello${first}`, `And ${first}${second}`]) {
    await memory.turn("ivo", "s1", [{ role: "user", name: `Ivo${second}`, content: said }], (turn) => {
      for (const piece of ["Hi ", first, second, second]) turn.add(piece);
    }, { onUnsaved: "raise" });
  }
  const long = await memory.resonance("ivo", "s1", `${first}${second}${"a".repeat(399_999)}`); // cut within the emoji

  const { items } = await memory.call("get", "/v1/minds/{mind_id}/turns", { path: { mind_id: "ivo" } });
  assert.deepEqual(items.map((one) => one.messages.map(({ name, content }) => [name ?? null, content])), [
    [["Ivo\ufffd", "And \u{1f600}"], [null, "Hi \u{1f600}\ufffd"]],
    [["Ivo\ufffd", "Hello\ufffd"], [null, "Hi \u{1f600}\ufffd"]],
  ]);
  assert.ok(long.trace_id);
  await assert.rejects(memory.resonance(`ivo${first}`, "s1", "Hi."), Unsendable);
});

test("a turn of the caller's own id that is made again is stored once", async () => {
  for (const isAgain of [false, true]) {
    const turn = await memory.begin("iva", "s1", "I moved to Bonn.", { turnId: "msg-17" });
    turn.answer("Nice.");
    await memory.end(turn, { onUnsaved: "raise" });

    assert.equal(turn.stored?.duplicate, isAgain);
  }
});

test("what the user said is stored where the model fails, and a mind that does not exist is silent", async () => {
  await assert.rejects(memory.turn("eva", "s1", "I moved to Bonn.", () => Promise.reject(new Error("the model is away"))), /the model is away/);

  const { items } = await memory.call("get", "/v1/minds/{mind_id}/turns", { path: { mind_id: "eva" } });

  assert.match(items[0]?.turn_id ?? "", /-unanswered$/);
  assert.equal((await memory.resonance("nobody", "s1", ASKS)).silence, "no mind is called 'nobody'; its first turn creates it");
});

test("what the user said is stored once where the model fails, and answers when it is asked again", async () => {
  const said = ["I moved to Bonn.", "I have a cat."].map((content) => ({ role: "user", content }));
  const fails = () => Promise.reject(new Error("the model is away"));
  await assert.rejects(memory.turn("una", "s1", said.slice(0, 1), fails), /away/);
  await assert.rejects(memory.turn("una", "s1", said, fails), /away/);
  await memory.turn("una", "s2", said.slice(0, 1), (turn) => turn.answer("In another session."));
  await memory.turn("una", "s1", said, (turn) => turn.answer("Nice."));
  await memory.turn("una", "s1", said.slice(0, 1), (turn) => turn.answer("Again."));

  const { items } = await memory.call("get", "/v1/minds/{mind_id}/turns", { path: { mind_id: "una" } });

  assert.deepEqual(items.map((one) => one.messages.map((message) => message.content)).sort(), [
    ["I have a cat."], ["I moved to Bonn."], ["I moved to Bonn.", "Again."], ["I moved to Bonn.", "In another session."], ["Nice."],
  ]);
});

/** What was said in each turn of a mind. */
async function saidTo(mind: string): Promise<string[][]> {
  const { items } = await memory.call("get", "/v1/minds/{mind_id}/turns", { path: { mind_id: mind } });
  return items.map((one) => one.messages.map((message) => message.content)).reverse();
}

test("words beside a part of an answer are not stored again with the whole one, and are where they are said anew", async () => {
  const breaks = (part: string, words: string, options = {}) =>
    assert.rejects(memory.turn("pia", "s1", words, (turn) => {
      turn.add(part);
      throw new Error("the model broke");
    }, options), /broke/);
  await breaks("How ni", "I moved to Bonn.");
  await memory.turn("pia", "s1", "I moved to Bonn.", (turn) => turn.answer("Nice."));
  await breaks("Once", "Go on.");
  const history = [["user", "Go on."], ["assistant", "Once"], ["user", "Go on."]].map(([role = "", content]) => ({ role, content }));
  await memory.turn("pia", "s1", history, (turn) => turn.answer("was a king."));
  await breaks("", "I have a cat.", { offTheRecord: true });
  await memory.turn("pia", "s1", "I have a cat.", (turn) => turn.answer("Lovely."));

  assert.deepEqual(await saidTo("pia"), [
    ["I moved to Bonn.", "How ni"], ["Nice."], ["Go on.", "Once"], ["Go on.", "was a king."], [""], ["I have a cat.", "Lovely."],
  ]);
});

test("answers and chunks of APIs are read as they are, and what is none is refused", async () => {
  const message = { role: "assistant", content: "In Lyon." };
  class Result {
    get content() {
      return [{ type: "text", text: "In Lyon." }];
    }
  }
  const answers = [message, { choices: [{ message }] }, { model: "m", message }, { output: [], output_text: "In Lyon." }, new Result()];
  const streams = [
    [{ choices: [{ delta: { role: "assistant", content: "In " } }] }, { choices: [] }, { choices: [{ delta: { content: "Lyon." } }] }],
    [{ type: "response.reasoning_text.delta", delta: "Hm. " }, { type: "response.output_text.delta", delta: "In Lyon." }],
    [{ type: "content_block_delta", delta: { type: "text_delta", text: "In Lyon." } }, { type: "message_stop" }],
    [{ message: { role: "assistant", content: "In Lyon." } }, null, undefined, ""],
  ];
  for (const [at, answer] of answers.entries()) await memory.turn("lea", `s${at}`, ASKS, (turn) => turn.answer(answer));
  for (const [at, pieces] of streams.entries()) await memory.turn("lea", `t${at}`, ASKS, (turn) => pieces.forEach((one) => turn.add(one)));
  await memory.turn("lea", "none", ASKS, (turn) => {
    for (const nothing of [null, undefined, "", { role: "assistant", content: null, tool_calls: [] }, { choices: [] }]) turn.answer(nothing);
    for (const unknown of [{ reply: "In Lyon." }, { choices: [{ delta: { content: "In" } }] }]) assert.throws(() => turn.answer(unknown), TypeError);
    assert.throws(() => turn.add({ reply: "In Lyon." }), TypeError);
  });

  assert.deepEqual(await saidTo("lea"), [...Array<string[]>(9).fill([ASKS, "In Lyon."]), [ASKS]]);
});

test("a chat may have a mind and a session in any script", async () => {
  const body = { messages: [{ role: "user", content: LYON }] };
  await memory.chat(body, { mind: "Ада", session: "сессия 😀" });
  const { chunks } = await memory.chatStream(body, { mind: "Zoë", session: "s1" });
  for await (const chunk of chunks) assert.ok(chunk);

  const found = await Promise.all(["Ада", "Zoë"].map((mind) => memory.call("get", "/v1/minds/{mind_id}/turns", { path: { mind_id: mind } })));
  assert.deepEqual(found.map(({ items }) => items.map((one) => one.session_id)), [["сессия 😀"], ["s1"]]);
});

test("a batch answers for each turn", async () => {
  const found = await memory.storeTurns("ben", [
    { session_id: "s1", messages: "One." },
    { turn_id: "b2", session_id: "s1", messages: [{ role: "user", content: "Two." }] },
    { turn_id: "b2", session_id: "s1", messages: "Other words." },
  ]);

  assert.deepEqual(found.turns.map((one) => one.status), [202, 202, 409]);
  assert.equal(found.turns[2]?.problem?.type, "/problems/turn-conflict");
});

test("recall is narrowed by metadata, and other minds are read", async () => {
  for (const [mind, project, words] of [["cid", "apollo", "The launch is in Faro."], ["cid", "gemini", "The launch is in Oslo."], ["team", "x", "The launch needs three ships."]] as const) {
    await memory.storeTurn(mind, "s1", words, { metadata: { project } });
  }
  await digested(memory, "cid");
  await digested(memory, "team");

  const { memories } = await memory.remember("cid", "Where is the launch?", { metadata: { project: "apollo" } });
  const found = await memory.resonance("cid", "s2", "How many ships does the launch need?", { alsoRead: ["team"], deadlineMs: 0, relevance: 0 });

  assert.match(JSON.stringify(memories), /Faro/);
  assert.doesNotMatch(JSON.stringify(memories), /Oslo/);
  assert.match(found.block, /\[team\] .*three ships/);
});

test("outcomes are applied", async () => {
  const found = await memory.resonance("ada", "s4", ASKS, { deadlineMs: 0 });
  const id = found.flashbacks[0]?.id ?? "";

  assert.deepEqual(await memory.reportOutcomes("ada", { [id]: "acted" }, { traceId: found.trace_id ?? "" }), { applied: 1, unknown: [] });
  assert.equal(await memory.reportOutcomes("ada", {}), null);
});

test("a chat through the proxy streams, remembers, and stores a repeated request once", async () => {
  const idempotencyKey = crypto.randomUUID();
  const body = { messages: [{ role: "user", content: ASKS }] };
  for (let times = 0; times < 2; times++) {
    const { chunks, memory: did, traceId } = await memory.chatStream(body, { mind: "ada", session: "s5", idempotencyKey });
    const pieces: string[] = [];
    for await (const { text } of chunks) if (text) pieces.push(text);
    assert.match(pieces.join(""), /Lyon/); // without a model, the echo shows what came to mind
    assert.ok(pieces.length > 1);
    assert.equal(did, "surfaced");
    assert.ok(traceId);
  }
  const { completion } = await memory.chat(body, { mind: "ada", session: "s6" });
  assert.match(JSON.stringify(completion.choices), /Lyon/);
  const { items } = await memory.call("get", "/v1/minds/{mind_id}/turns", { path: { mind_id: "ada" }, query: { session_id: "s5" } });
  assert.equal(items.length, 1);
});

test("an agent acts and sleeps, and leaves out of its bodies what has a default", async () => {
  const path = { mind_id: "clerk", session_id: "day-1" };
  const actions = [{ kind: "thought" as const, text: "I read the invoice." }, { kind: "tool_call" as const, tool: "read", output: "7 euros" }];
  const done = await memory.call("post", "/v1/minds/{mind_id}/sessions/{session_id}/actions", { path, body: { actions } });
  assert.deepEqual([done.kept.length, done.actions, done.must_sleep], [2, 1, false]);
  const slept = await memory.call("post", "/v1/minds/{mind_id}/sleep", { path, body: { seconds: 600, wait: true } });
  assert.equal(slept.kind, "lightweight");
  const woken = await memory.call("post", "/v1/minds/{mind_id}/wake", { path, body: {} });
  assert.equal(woken.state, "awake");
  const { text } = await memory.call("get", "/v1/minds/{mind_id}/waking", { path });
  assert.match(text, /I read the invoice/);
});

test("events come as they happen, until they are aborted", async () => {
  const ended = new AbortController();
  const kinds: string[] = [];
  const following = (async () => {
    for await (const event of memory.events("ada", { signal: ended.signal })) kinds.push(event.kind);
  })();
  let number = 0;
  await soon(async () => {
    await memory.storeTurn("ada", "s7", `Thing ${number++}.`);
    return kinds.includes("turn.kept");
  });
  ended.abort(new Error("enough"));
  await assert.rejects(following, /enough/);
});

test("events go on where the connection broke off, before the first one and after it", async () => {
  let cut = () => {};
  let begun = () => {};
  let isBack = Promise.resolve();
  const hasBegun = new Promise<void>((go) => (begun = go));
  const following = new MemoryClient({
    url: service.url,
    ...(service.key ? { key: service.key } : {}),
    retry: { firstBackoffSeconds: 0.01 },
    fetch: async (address, init) => {
      await isBack;
      const answer = await fetch(address, init);
      const line = new TransformStream<Uint8Array, Uint8Array>({
        start: (way) => void (cut = () => way.error(new Error("the line is cut"))),
        transform(part, way) {
          way.enqueue(part); // at once to who reads, since nothing waits in between
          begun();
        },
      });
      return new Response(answer.body?.pipeThrough(line), answer);
    },
  });
  const events = following.events("ada");
  for (const words of ["Before the first event.", "After it."]) {
    const heard = events.next();
    await hasBegun;
    let comeBack = () => {};
    isBack = new Promise((go) => (comeBack = go));
    cut();
    const { turn_id: turnId } = await memory.storeTurn("ada", "s8", words);
    comeBack();
    assert.equal(await turnKeptIn(heard, events), turnId);
  }
  await events.return(undefined);
});

/** The turn of the first `turn.kept` in *events*, of which *next* is the next one. */
async function turnKeptIn(next: Promise<IteratorResult<ServerEvent, unknown>>, events: AsyncGenerator<ServerEvent>): Promise<unknown> {
  const { value } = await next;
  const { kind, data } = value as ServerEvent;
  return kind === "turn.kept" ? (JSON.parse(data) as Record<string, unknown>).turn_id : turnKeptIn(events.next(), events);
}

test("errors are typed", async () => {
  await assert.rejects(memory.call("get", "/v1/minds/{mind_id}", { path: { mind_id: "nobody" } }), MindNotFound);
  await assert.rejects(memory.storeTurn("ada", "", "Hello."), (error) => {
    assert.ok(error instanceof InvalidRequest);
    assert.deepEqual([error.status, error.slug, error.errors[0]?.pointer], [422, "invalid-request", "#/session_id"]);
    return true;
  });
  assert.throws(() => new MemoryClient({ url: "nowhere" }), TypeError);
  for (const key of ["mm_\u{1f600}", "mm_1\n2"]) assert.throws(() => new MemoryClient({ key }), /^TypeError: the key/);
  await assert.rejects(memory.storeTurn("", "s1", LYON), /^Unsendable: mind_id can not be ""/);
  const away = new MemoryClient({ url: "http://127.0.0.1:9", retry: { maxAttempts: 1 } });
  await assert.rejects(away.remember("ada", LYON), /^Unreachable: nobody answered at http:\/\/127\.0\.0\.1:9: ./);
});

test("names of minds may hold anything printable", async () => {
  const stored = await memory.storeTurn("Ada Löve/../ace?", "s1", "Hello.");
  assert.match(stored.mind_id, /^user-/);
});

test("a name of dots, which fetch would resolve, reaches nobody: the rest of the address is the mind's own", async () => {
  await memory.storeTurn("dots", "s1", [{ role: "user", content: LYON }]);
  for (const dots of [".", ".."]) {
    await assert.rejects(memory.storeTurn("dots", dots, "Hello."), InvalidRequest);
    const path = { mind_id: "dots", session_id: dots };
    const erased = memory.call("delete", "/v1/minds/{mind_id}/sessions/{session_id}", { path });
    await assert.rejects(erased, /^(Unsendable: )?session_id can not be "\.+"$/);
  }

  const { items } = await memory.call("get", "/v1/minds/{mind_id}/turns", { path: { mind_id: "dots" } });

  assert.deepEqual(items.map((one) => one.session_id), ["s1"]);
});

test("a service with keys refuses who has none", async () => {
  await assert.rejects(new MemoryClient({ url: service.url }).call("get", "/v1/minds"), Unauthenticated);
});
