// The examples of the Vercel AI SDK and of Mastra, as they are, against a real service and a scripted model.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText, streamText, stepCountIs, tool, wrapLanguageModel } from "ai";
import { z } from "zod";
import { answer } from "../examples/ai_sdk.js";
import { createAgent } from "../examples/mastra.js";
import { memoryMiddleware } from "../src/ai_sdk.js";
import { type RunningService, digested, model, promptOf, soon, startService } from "./service.js";

const LYON = "My mother lives in Lyon.";
const ASKS = "Where does my mother live?";

let service: RunningService;
before(async () => {
  service = await startService();
  await service.memory.storeTurn("ada", "s0", LYON);
  await digested(service.memory, "ada");
});
after(() => service.stop());

async function said(session: string): Promise<string[][]> {
  const { items } = await service.memory.call("get", "/v1/minds/{mind_id}/turns", { path: { mind_id: "ada" }, query: { session_id: session } });
  return items.map((one) => one.messages.map((message) => message.content));
}

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
    await soon(async () => (await said("ai-1")).length);
    assert.deepEqual(await said("ai-1"), [[ASKS, "She lives in Lyon."]]);
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
    assert.deepEqual(await said("ai-2"), [[ASKS, "She lives in Lyon."]]);
  } finally {
    await provider.stop();
  }
});

test("a stream that its reader leaves is stored as far as it came", async () => {
  const provider = await model("She lives in Lyon, and she likes it there very much.");
  try {
    const { textStream } = streamText({ model: wrapped(provider.url, "ai-3"), prompt: ASKS, onError: () => undefined });
    for await (const piece of textStream) if (piece.includes("She")) break;

    await soon(async () => (await said("ai-3")).length);

    const [[question, words] = []] = await said("ai-3");
    assert.equal(question, ASKS);
    assert.match(words ?? "", /^She/);
  } finally {
    await provider.stop();
  }
});

test("where memory is away, the model is asked all the same", async () => {
  const provider = await model("I do not know.");
  const { MemoryClient } = await import("../src/index.js");
  const away = new MemoryClient({ url: "http://127.0.0.1:9", retry: { maxAttempts: 1 } });
  try {
    assert.equal(await answer(ASKS, { memory: away, baseURL: `${provider.url}/v1` }), "I do not know.");
    await soon(() => away.unsaved.length);
  } finally {
    await provider.stop();
  }
});

test("the example of Mastra remembers through its tools, and each exchange is one turn", async () => {
  const provider = await model("She lives in Lyon.", { tool: "today" });
  try {
    const agent = createAgent({ memory: service.memory, baseURL: `${provider.url}/v1`, session: "mastra-1" });

    const { text } = await agent.generate(ASKS);

    assert.equal(text, "She lives in Lyon.");
    for (const heard of provider.heard) assert.match(promptOf(heard), /SUBCONSCIOUS RESONANCE.*Lyon/s);
    await soon(async () => (await said("mastra-1")).length);
    assert.deepEqual(await said("mastra-1"), [[ASKS, "She lives in Lyon."]]);
  } finally {
    await provider.stop();
  }
});
