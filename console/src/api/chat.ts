// A chat with the configured model, word by word as it answers. The door speaks OpenAI's format, errors included.
import { get, Problem, raw } from "./client";
import { MindMemoryError } from "../../../client-ts/src/errors.js";
import { chunksOf } from "../../../client-ts/src/streams.js";

const ECHO = "mind-memory-echo";

/** Whether a model is configured; without one, the door only echoes. */
export async function hasModel(): Promise<boolean> {
  const { data } = await get("/v1/models");
  return !data.some((one) => one.id === ECHO);
}

export interface ChatAsked {
  mind: string;
  session: string;
  messages: readonly { role: string; content: string }[];
  /** Nothing is recalled and nothing is kept. */
  isBypassed: boolean;
  abort: AbortSignal;
}

export interface ChatAnswer {
  /** The trace of the call before the answer; none where memory was left out, or failed. */
  trace: string | null;
  memory: string;
}

/** Ask, and hand over the answer word by word; what is answered at the end says where its trace is. Raises Problem. */
export async function chat(asked: ChatAsked, heard: (words: string) => void): Promise<ChatAnswer> {
  const answer = await raw("post", "/v1/chat/completions", {
    body: { model: "memory", stream: true, messages: asked.messages },
    headers: {
      "X-Mind-Id": asked.mind,
      "X-Session-Id": asked.session,
      "X-Timezone": Intl.DateTimeFormat().resolvedOptions().timeZone,
      ...(asked.isBypassed ? { "X-Memory-Bypass": "1" } : {}),
    },
    abort: asked.abort,
  }).catch((error: unknown) => {
    throw inWords(error);
  });
  try {
    for await (const { text } of chunksOf(answer, asked.abort)) heard(text);
  } catch (error) {
    throw error instanceof MindMemoryError ? new Problem(502, error.message) : error;
  }
  return { trace: answer.headers.get("X-Memory-Trace-Id"), memory: answer.headers.get("X-Memory") ?? "" };
}

function inWords(error: unknown): unknown {
  if (!(error instanceof Problem)) return error;
  const message = (error.more.error as { message?: string } | undefined)?.message;
  return message ? new Problem(error.status, message, error.more) : error;
}
