// A trace: one pre-turn call, phase by phase. The service answers it as it is kept, so its form is written down here.
import { get } from "./client";

export interface Candidate {
  id: string;
  kind: string;
  text: string;
  score: number;
  boosted: boolean;
  occurred_at: string | null;
  sequences: number[];
  /** The rank that each kind of search gave it. */
  arms: Record<string, number>;
}

export interface Shown {
  id: string;
  sequences: number[];
  text: string;
}

export interface Trace {
  trace_id: string;
  mind_id: string;
  session_id: string;
  at: string;
  message: string;
  off_the_record: boolean;
  language: string;
  surfaced: boolean;
  silence: string | null;
  shown: Shown[];
  block: string;
  /** Each phase that was reached; none of a call off the record. */
  phases: {
    seeds?: { queries?: string[]; names?: string[]; late?: string[]; model?: Record<string, unknown> | string };
    retrieval?: { queries?: string[]; candidates?: Candidate[]; wondered?: string[] };
    filters?: {
      dropped?: Record<string, string>;
      relevance?: { probability: number; needed: number };
      salience?: Record<string, number>;
      kept?: string[];
    };
    labels?: { labels?: Record<string, string> };
    narration?: { model?: string; reasons?: Record<string, string> };
    injection?: Record<string, unknown>;
  };
  degraded: string[];
  timings_ms: Record<string, number>;
  usage: { calls: number; prompt_tokens: number; completion_tokens: number; cost_usd: number };
  outcomes?: { id: string; outcome: string; reporter: string; at: string }[];
}

export async function traceOf(mind: string, id: string): Promise<Trace> {
  const path = { mind_id: mind, trace_id: id };
  return (await get("/v1/minds/{mind_id}/traces/{trace_id}", { path })) as unknown as Trace;
}

export interface TracesAsked {
  session_id?: string;
  since?: string;
  before?: string;
  surfaced?: boolean;
  memory?: string;
  limit?: number;
  cursor?: string;
}

export async function tracesOf(mind: string, query: TracesAsked): Promise<{ traces: Trace[]; next: string | null }> {
  const found = await get("/v1/minds/{mind_id}/traces", { path: { mind_id: mind }, query });
  return { traces: found.traces as unknown as Trace[], next: found.next_cursor };
}
