// A chat with memory by the Vercel AI SDK: `generateText`, `streamText` and agents, with any provider.
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { streamText, wrapLanguageModel } from "ai";
import { MemoryClient } from "mind-memory-client";
import { memoryMiddleware } from "mind-memory-client/ai-sdk";

export async function answer(question: string, { memory = new MemoryClient(), baseURL = "https://api.openai.com/v1", mind = "ada", session = "chat-1" } = {}) {
  const provider = createOpenAICompatible({ name: "openai", baseURL, apiKey: process.env.OPENAI_API_KEY ?? "none" });
  const model = wrapLanguageModel({
    model: provider("gpt-4o-mini"),
    middleware: memoryMiddleware(memory, { mind, session }),
  });
  const { textStream } = streamText({ model, prompt: question });
  let words = "";
  for await (const piece of textStream) words += piece;
  return words;
}
