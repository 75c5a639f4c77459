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
import { listen } from "./service.js";
import { ASKS, type Knowing, startKnowing } from "./knowing.js";
import { soon } from "./waiting.js";

let service: Knowing;
before(async () => {
  service = await startKnowing();
});
after(() => service.stop());

const today = tool({ description: "The weekday.", inputSchema: z.object({}), execute: () => "Monday" });

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

test("streamText with a tool sees the same memory in each step, and is one turn", async () => {
  const provider = await model("She lives in Lyon.", { tool: "today" });
  try {
    const { text } = streamText({ model: wrapped(provider.url, "ai-4"), prompt: ASKS, tools: { today }, stopWhen: stepCountIs(3) });

    assert.equal(await text, "She lives in Lyon.");
    for (const heard of provider.heard) assert.match(promptOf(heard), /SUBCONSCIOUS RESONANCE.*Lyon/s);
    await soon(async () => (await service.said("ai-4")).length);
    assert.deepEqual(await service.said("ai-4"), [[ASKS, "She lives in Lyon."]]);
  } finally {
    await provider.stop();
  }
});

test("what the user said is stored once where the provider refuses, streamed or not, and answers when it is asked again", async () => {
  const refusing = await listen((_, response) => void response.writeHead(401).end("{}"));
  const provider = await model("She lives in Lyon.");
  try {
    await streamText({ model: wrapped(refusing.url, "ai-5"), prompt: ASKS, maxRetries: 0, onError: () => undefined }).consumeStream();
    await soon(async () => (await service.said("ai-5")).length);
    await assert.rejects(generateText({ model: wrapped(refusing.url, "ai-5"), prompt: ASKS, maxRetries: 0 }));
    await generateText({ model: wrapped(provider.url, "ai-5"), prompt: ASKS });

    assert.deepEqual((await service.said("ai-5")).sort(), [["She lives in Lyon."], [ASKS]]);
  } finally {
    await refusing.stop();
    await provider.stop();
  }
});

test("an exchange that ends in a call of a tool is stored with the next one, once", async () => {
  const provider = await model("Good bye.", { tool: "today", beforeTool: "Let me look." });
  try {
    const model = wrapped(provider.url, "ai-6");
    const { response } = await generateText({ model, prompt: ASKS, tools: { today } });
    assert.deepEqual(await service.said("ai-6"), []);
    const messages = [{ role: "user" as const, content: ASKS }, ...response.messages, { role: "user" as const, content: "Thanks." }];
    await generateText({ model, messages, tools: { today }, stopWhen: stepCountIs(3) });

    assert.deepEqual((await service.said("ai-6")).sort(), [["Thanks.", "Let me look.Good bye."], [ASKS, "Let me look."]]);
  } finally {
    await provider.stop();
  }
});

test("an exchange beside which another one ends goes on with the same memory, and nothing of it is stored twice", async () => {
  const provider = await model("She lives in Lyon.", { tool: "asks" });
  try {
    const model = wrapped(provider.url, "ai-7");
    const execute = async () => (await generateText({ model, prompt: "What day is it?" })).text;
    const asks = tool({ description: "Ask somebody.", inputSchema: z.object({}), execute });
    await generateText({ model, prompt: ASKS, tools: { asks }, stopWhen: stepCountIs(3) });

    assert.match(promptOf(provider.heard.at(-1)), /SUBCONSCIOUS RESONANCE.*Lyon/s);
    assert.deepEqual((await service.said("ai-7")).sort(), [["She lives in Lyon."], ["What day is it?", "She lives in Lyon."], [ASKS]]);
  } finally {
    await provider.stop();
  }
});
