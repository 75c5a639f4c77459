// What happens in a mind, as it happens: server-sent events, read with a header that EventSource could not send.
import { signal } from "@preact/signals";
import { raw } from "./client";

export interface Happened {
  kind: string;
  data: Record<string, unknown>;
}

/** The newest event of the mind that is looked at. */
export const happened = signal<Happened | null>(null);

const AGAIN_MS = 3000;

/** Follow a mind until the answer is called. */
export function follow(mind: string): () => void {
  const ended = new AbortController();
  void loop(mind, ended.signal);
  return () => ended.abort();
}

async function loop(mind: string, abort: AbortSignal): Promise<void> {
  let last = "";
  while (!abort.aborted) {
    try {
      const headers: Record<string, string> = last ? { "Last-Event-ID": last } : {};
      const answer = await raw("get", "/v1/minds/{mind_id}/events", { path: { mind_id: mind }, headers, abort });
      for await (const event of eventsOf(answer)) {
        last = event.id || last;
        happened.value = { kind: event.kind, data: event.data };
      }
    } catch {
      if (abort.aborted) return;
    }
    await new Promise((go) => setTimeout(go, AGAIN_MS));
  }
}

async function* eventsOf(answer: Response) {
  let kept = "";
  for await (const text of textOf(answer)) {
    const parts = (kept + text).split("\n\n");
    kept = parts.pop() ?? "";
    for (const part of parts) {
      const field = (name: string) => new RegExp(`^${name}: ?(.*)$`, "m").exec(part)?.[1] ?? "";
      if (field("data")) yield { id: field("id"), kind: field("event"), data: JSON.parse(field("data")) };
    }
  }
}

/** The text of an answer, piece by piece. */
export async function* textOf(answer: Response): AsyncGenerator<string> {
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  if (!reader) return;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    yield value;
  }
}
