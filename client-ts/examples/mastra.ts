// A Mastra agent that remembers: its model is wrapped, so that every step of it sees memory, and each exchange is one turn.
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { Agent } from "@mastra/core/agent";
import { createTool } from "@mastra/core/tools";
import { wrapLanguageModel } from "ai";
import { z } from "zod";
import { MemoryClient } from "mind-memory-client";
import { memoryMiddleware } from "mind-memory-client/ai-sdk";

const today = createTool({
  id: "today",
  description: "The weekday.",
  inputSchema: z.object({}),
  execute: async () => ({ weekday: "Monday" }),
});

export function createAgent({ memory = new MemoryClient(), baseURL = "https://api.openai.com/v1", mind = "ada", session = "chat-1" } = {}) {
  const provider = createOpenAICompatible({ name: "openai", baseURL, apiKey: process.env.OPENAI_API_KEY ?? "none" });
  return new Agent({
    id: "companion",
    name: "companion",
    instructions: "You are a companion.",
    model: wrapLanguageModel({ model: provider("gpt-4o-mini"), middleware: memoryMiddleware(memory, { mind, session }) }),
    tools: { today },
  });
}
