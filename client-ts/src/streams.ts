// Answers that come piece by piece: server-sent events, of the service's own and in OpenAI's format.
import { MindMemoryError, Unreachable, isRecord } from "./errors.js";

/** One server-sent event. */
export interface ServerEvent {
  id: string;
  kind: string;
  data: string;
}

/** The text of an answer, piece by piece. Raises Unreachable where it breaks off. */
export async function* textOf(answer: Response, signal?: AbortSignal): AsyncGenerator<string> {
  const reader = answer.body?.getReader();
  if (!reader) return;
  const decoder = new TextDecoder();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield decoder.decode(value, { stream: true });
    }
  } catch (error) {
    if (error instanceof MindMemoryError) throw error;
    if (signal?.aborted) throw signal.reason; // some browsers fail with an error of their own
    throw new Unreachable("the answer broke off", { cause: error });
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

/** The server-sent events of an answer, each as soon as it is whole. */
export async function* eventsOf(answer: Response, signal?: AbortSignal): AsyncGenerator<ServerEvent> {
  let kept = "";
  for await (const text of textOf(answer, signal)) {
    const parts = (kept + text).replaceAll("\r\n", "\n").split("\n\n");
    kept = parts.pop() ?? "";
    for (const part of parts) {
      const event = eventOf(part);
      if (event) yield event;
    }
  }
}

function eventOf(part: string): ServerEvent | null {
  const found = { id: "", event: "message", data: [] as string[] };
  for (const line of part.split("\n")) {
    const [, name, value] = /^(id|event|data): ?(.*)$/.exec(line) ?? [];
    if (name === "data") found.data.push(value ?? "");
    else if (name === "id" || name === "event") found[name] = value ?? "";
  }
  return found.data.length ? { id: found.id, kind: found.event, data: found.data.join("\n") } : null;
}

/** A chunk of a chat as OpenAI streams it, with what of its words is new. */
export interface ChatChunk {
  text: string;
  chunk: Record<string, unknown>;
}

/** The chunks of a streamed chat. Raises MindMemoryError where the model breaks off. */
export async function* chunksOf(answer: Response, signal?: AbortSignal): AsyncGenerator<ChatChunk> {
  for await (const { data } of eventsOf(answer, signal)) {
    if (data === "[DONE]") return;
    const chunk: unknown = JSON.parse(data);
    if (!isRecord(chunk)) continue;
    if (isRecord(chunk.error)) throw new MindMemoryError(String(chunk.error.message ?? "the model broke off"));
    yield { text: newWords(chunk), chunk };
  }
}

function newWords(chunk: Record<string, unknown>): string {
  const [choice] = Array.isArray(chunk.choices) ? (chunk.choices as unknown[]) : [];
  const delta = isRecord(choice) ? choice.delta : undefined;
  return isRecord(delta) && typeof delta.content === "string" ? delta.content : "";
}
