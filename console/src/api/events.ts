// What happens in a mind, as it happens: server-sent events, read with a header that EventSource could not send.
import { signal } from "@preact/signals";
import { eventsOf } from "../../../client-ts/src/streams.js";
import { Problem, raw } from "./client";

export interface Happened {
  kind: string;
  data: Record<string, unknown>;
}

/** The newest event of the mind that is looked at. */
export const happened = signal<Happened | null>(null);

/** Words were erased: what a page holds of the mind is to be read anew. */
export const ERASED = "memory.erased";

const AGAIN_MS = 3000;

/** Follow a mind until the answer is called. */
export function follow(mind: string): () => void {
  const ended = new AbortController();
  void loop(mind, ended.signal);
  return () => ended.abort();
}

async function loop(mind: string, abort: AbortSignal): Promise<void> {
  let last = "";
  let wasThere = false;
  while (!abort.aborted) {
    try {
      const headers: Record<string, string> = last ? { "Last-Event-ID": last } : {};
      const answer = await raw("get", "/v1/minds/{mind_id}/events", { path: { mind_id: mind }, headers, abort });
      wasThere = true;
      for await (const { id, kind, data } of eventsOf(answer, abort)) {
        last = id || last;
        happened.value = { kind, data: JSON.parse(data) as Happened["data"] };
      }
    } catch (error) {
      if (abort.aborted) return;
      if (wasThere && error instanceof Problem && error.status === 404) {
        wasThere = false;
        happened.value = { kind: ERASED, data: {} }; // the whole mind
      }
    }
    await new Promise((go) => setTimeout(go, AGAIN_MS));
  }
}
