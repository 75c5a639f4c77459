// What is so only in a page: the rules of origins, and that the page's own assertions find what is wrong.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { MemoryClient, Unreachable } from "mind-memory-client";
import { startService } from "./service.js";

type Started = Awaited<ReturnType<typeof startService>>;

let open: Started;
let guarded: Started;
before(async () => {
  open = await startService();
  guarded = await startService({ key: true });
});
after(() => Promise.all([open.stop(), guarded.stop()]));

test("a page of another origin is not served, with a key or without, and nothing is stored", async () => {
  for (const { direct, key, memory } of [open, guarded]) {
    const foreign = new MemoryClient({ url: direct, ...(key ? { key } : {}), retry: { maxAttempts: 1 } });

    await assert.rejects(foreign.storeTurn("ada", "s1", "I am another page."), Unreachable);
    await assert.rejects(foreign.call("get", "/v1/minds"), Unreachable);

    assert.deepEqual((await memory.call("get", "/v1/minds")).minds, []);
  }
});

test("what is wrong is found", async () => {
  const wrong: (() => unknown)[] = [
    () => assert.ok(0),
    () => assert.equal(1, "1"),
    () => assert.deepEqual({ a: [1] }, { a: [2] }),
    () => assert.deepEqual({ a: 1 }, { a: 1, b: undefined }),
    () => assert.deepEqual([], {}),
    () => assert.match("one", /two/),
    () => assert.doesNotMatch("one", /one/),
    () => assert.throws(() => undefined, Error),
    () => assert.throws(() => { throw new TypeError("one"); }, Unreachable),
    () => assert.rejects(Promise.resolve(), Error),
    () => assert.rejects(Promise.reject(new Error("one")), /two/),
    () => assert.rejects(Promise.reject(new Error("one")), () => false),
  ];
  for (const work of wrong) {
    let found: unknown;
    try {
      await work();
    } catch (error) {
      found = error;
    }
    if (!(found instanceof Error)) throw new Error(`nothing is found: ${work}`);
  }
});
