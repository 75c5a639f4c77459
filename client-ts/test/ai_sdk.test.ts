// The Vercel AI SDK, and its example as it is, against a real service and a scripted model.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText, streamText, stepCountIs, tool, wrapLanguageModel } from "ai";
import { z } from "zod";
import { answer } from "../examples/ai_sdk.js";
import { MemoryClient } from "mind-memory-client";
import { memoryMiddleware } from "mind-memory-client/ai-sdk";
import { model, promptOf } from "./model.js";
import { ASKS, type Knowing, startKnowing } from "./knowing.js";
import { soon } from "./waiting.js";

let service: Knowing;
before(async () => {
  service = await startKnowing();
});
after(() => service.stop());

const wrapped = (url: string, session: string) =>
  wrapLanguageModel({
    model: createOpenAICompatible({ name: "scripted", baseURL: `${url}/v1` })("m"),
    middleware: memoryMiddleware(service.memory, { mind: "ada", session, deadlineMs: 0 }),
  });

test("the example of the AI SDK streams an answer with memory, and the exchange is stored", async () => {
  const provider = await model("She lives in Lyon.");
  try {
    assert.equal(await answer(ASKS, { memory: service.memory, baseURL: `${provider.url}/v1`, session: "ai-1" }), "She lives in Lyon.");
    assert.match(promptOf(provider.heard[0]), /SUBCONSCIOUS RESONANCE.*Lyon/s);
    await soon(async () => (await service.said("ai-1")).length);
    assert.deepEqual(await service.said("ai-1"), [[ASKS, "She lives in Lyon."]]);
  } finally {
    await provider.stop();
  }
});

test("generateText with a tool sees the same memory in each step, and is one turn", async () => {
  const provider = await model("She lives in Lyon.", { tool: "today" });
  try {
    const today = tool({ description: "The weekday.", inputSchema: z.object({}), execute: () => "Monday" });
    const { text } = await generateText({ model: wrapped(provider.url, "ai-2"), prompt: ASKS, tools: { today }, stopWhen: stepCountIs(3) });

    assert.equal(text, "She lives in Lyon.");
    assert.equal(provider.heard.length, 2);
    for (const heard of provider.heard) assert.match(promptOf(heard), /SUBCONSCIOUS RESONANCE.*Lyon/s);
    assert.deepEqual(await service.said("ai-2"), [[ASKS, "She lives in Lyon."]]);
  } finally {
    await provider.stop();
  }
});

test("a stream that its reader leaves is stored as far as it came", async () => {
  const provider = await model("She lives in Lyon, and she likes it there very much.");
  try {
    const { textStream } = streamText({ model: wrapped(provider.url, "ai-3"), prompt: ASKS, onError: () => undefined });
    for await (const piece of textStream) if (piece.includes("She")) break;

    await soon(async () => (await service.said("ai-3")).length);

    const [[question, words] = []] = await service.said("ai-3");
    assert.equal(question, ASKS);
    assert.match(words ?? "", /^She/);
  } finally {
    await provider.stop();
  }
});

test("where memory is away, the model is asked all the same", async () => {
  const provider = await model("I do not know.");
  const away = new MemoryClient({ url: "http://127.0.0.1:9", retry: { maxAttempts: 1 } });
  try {
    assert.equal(await answer(ASKS, { memory: away, baseURL: `${provider.url}/v1` }), "I do not know.");
    await soon(() => away.unsaved.length);
  } finally {
    await provider.stop();
  }
});
