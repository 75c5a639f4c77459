// A model that speaks OpenAI's API, as a script says.
import { type Heard, type Listening, listen } from "./service.js";

/** A model that speaks OpenAI's API: it answers *words*, streamed where it is asked to, or calls a tool first, with words or none. */
export function model(words: string, { tool, beforeTool = null }: { tool?: string; beforeTool?: string | null } = {}): Promise<Listening> {
  return listen((heard, response) => {
    const messages = heard.body.messages as { role: string }[];
    const callsTool = tool !== undefined && heard.body.tools !== undefined && messages.at(-1)?.role !== "tool";
    const call = { index: 0, id: "call-1", type: "function", function: { name: tool, arguments: "{}" } };
    const finish = callsTool ? "tool_calls" : "stop";
    const head = { id: "c1", created: 1, model: "scripted" };
    if (!heard.body.stream) {
      const message = callsTool ? { role: "assistant", content: beforeTool, tool_calls: [call] } : { role: "assistant", content: words };
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
