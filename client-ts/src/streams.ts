// Answers that come piece by piece: server-sent events, of the service's own and in OpenAI's format.
import { MindMemoryError, TimedOut, Unreachable, doesPass, isRecord } from "./errors.js";
import { type RetryPolicy, sleep } from "./retry.js";

const MOST_SILENT_SECONDS = 60; // the service shows every 15 seconds that it is there

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
  for await (const block of blocksOf(answer, signal)) if (block.data) yield block;
}

/** The same with what is not an event, which has no data: a sign of life, or an id alone, from which a client may go on. */
async function* blocksOf(answer: Response, signal?: AbortSignal): AsyncGenerator<ServerEvent> {
  let kept = "";
  for await (const text of textOf(answer, signal)) {
    const parts = (kept + text).replaceAll("\r\n", "\n").split("\n\n");
    kept = parts.pop() ?? "";
    for (const part of parts) yield blockOf(part);
  }
}

function blockOf(part: string): ServerEvent {
  const found = { id: "", event: "message", data: [] as string[] };
  for (const line of part.split("\n")) {
    const [, name, value] = /^(id|event|data): ?(.*)$/.exec(line) ?? [];
    if (name === "data") found.data.push(value ?? "");
    else if (name === "id" || name === "event") found[name] = value ?? "";
  }
  return { id: found.id, kind: found.event, data: found.data.join("\n") };
}

/** How events are asked for, from the event *lastId* on. */
export type AskForEvents = (lastId: string | undefined, signal: AbortSignal) => Promise<Response>;

/**
 * The events of one answer after the other, without an end: soon after some came, else after pauses that grow.
 *
 * What passes is waited for, however long it takes, and is logged when it begins.
 */
export async function* followed(
  ask: AskForEvents, policy: RetryPolicy, { lastId, signal }: { lastId?: string | undefined; signal?: AbortSignal | undefined },
): AsyncGenerator<ServerEvent> {
  let [last, tries, isAway] = [lastId, 0, false];
  for (;;) {
    const begunAt = last;
    const silence = new SilenceTimer(signal);
    try {
      for await (const block of blocksOf(await ask(last, silence.signal), silence.signal)) {
        silence.stop();
        last = block.id || last;
        if (block.data) yield block;
        silence.start();
      }
    } catch (error) {
      if (signal?.aborted || !doesPass(error)) throw error;
      if (!isAway) console.warn(`events broke off, and are asked for again: ${(error as Error).message}`);
      isAway = true;
    } finally {
      silence.stop();
    }
    if (last === begunAt) tries++;
    else [tries, isAway] = [0, false];
    await sleep(Math.min(policy.firstBackoffSeconds * 2 ** tries, policy.maxBackoffSeconds), signal);
  }
}

/** Its signal ends a call when nothing comes for too long, or when the caller's own does. */
class SilenceTimer {
  readonly signal: AbortSignal;
  readonly #ended = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(signal: AbortSignal | undefined) {
    this.signal = signal ? AbortSignal.any([signal, this.#ended.signal]) : this.#ended.signal;
    this.start();
  }

  start(): void {
    this.#timer = setTimeout(() => this.#ended.abort(new TimedOut("nothing came for too long")), MOST_SILENT_SECONDS * 1000);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
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
