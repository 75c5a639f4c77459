// What a trace says, in words: why nothing came up, what became of each candidate, what was left out.
import type { Candidate, Trace } from "../../api/trace";
import { counted, number } from "../../dates";

const FILTERS: Record<string, string> = {
  horizon: "Still in sight",
  echo: "Shown lately",
  relevance: "Not near enough",
  "near-duplicate": "Says the same as another",
  limit: "Over the limit",
  outcome: "Was contradicted",
  denied: "Said to be wrong",
  muted: "Muted by a person",
};

const ARMS: Record<string, string> = {
  words: "by words",
  vectors: "by meaning",
  concepts: "by what words mean",
  names: "by name",
  speaker: "by who told it",
  entities: "by name",
  facts: "by facts",
  journal: "in the journal",
};

const RUNGS: Record<string, string> = {
  deadline: "The deadline came before it was done.",
  service_stopping: "The service was stopped before it was done.",
  disk_failed: "The transcript could not be read.",
  memory_failed: "The memory failed; the log of the service says why.",
  transcription_skipped: "What was spoken was not in words in time: what was said before was looked for.",
  seeds_skipped: "The model was not asked what to look for, or answered too late.",
  narration_skipped: "No model put it into words: memories were quoted.",
  narration_partial: "The model put only some of it into words in time.",
  vectors_skipped: "There was no time to look by meaning.",
  embedder_unavailable: "The embedder was away: it was looked for by words only.",
  graph_unavailable: "The graph was away: it was looked for by words only.",
  story_unavailable: "STORY.md can not be read; memories came without it.",
  prompt_unusable: "A prompt of this mind can not be used; the built-in one was.",
  story_skipped: "The story was left out: it could not be read in time.",
  off_the_record: "Off the record: no model was asked, and no words were kept.",
  journal_unavailable: "The journal could not be searched.",
  journal_skipped: "There was no time to look in the journal.",
  index_behind: "The newest turns could not be searched yet.",
  journal_behind: "The newest lines of the journal were not searched yet.",
};

/** A step that was left out, in a sentence. */
export const rungWords = (rung: string): string => RUNGS[rung] ?? rung.replaceAll("_", " ");

export const armWords = (arm: string): string => ARMS[arm] ?? `by ${arm.replaceAll("_", " ")}`;

/** "by words (1st), by meaning (4th)", as ranks. */
export const armsOf = (one: Candidate): string =>
  Object.entries(one.arms).map(([arm, rank]) => `${armWords(arm)} (no. ${rank})`).join(", ");

export interface Fate {
  state: "shown" | "held" | "unknown";
  /** Which filter decided. */
  filter: string;
  /** Its own words, where they say more than its name. */
  reason: string;
}

const SHOWN: Fate = { state: "shown", filter: "Came to mind", reason: "" };
const UNKNOWN: Fate = { state: "unknown", filter: "Not found at all", reason: "" };

/** What became of a memory in a call. */
export function fateOf(trace: Trace, id: string): Fate {
  const { filters, narration, retrieval } = trace.phases;
  if (trace.shown.some((one) => one.id === id)) return SHOWN;
  const dropped = filters?.dropped?.[id];
  if (dropped !== undefined) return { state: "held", ...filterWords(dropped) };
  const refused = narration?.reasons?.[id];
  if (refused !== undefined) return { state: "held", filter: "Left out in telling", reason: refused };
  if (filters?.kept?.includes(id)) return { state: "held", filter: "Left out in telling", reason: "" };
  if (!retrieval?.candidates?.some((one) => one.id === id)) return UNKNOWN;
  return { state: "held", filter: "Probably not meant", reason: relevanceWords(trace) };
}

function filterWords(reason: string): { filter: string; reason: string } {
  const [name = "", ...rest] = reason.split(":");
  const known = FILTERS[name.trim()];
  if (!known) return { filter: reason, reason: "" };
  return { filter: known, reason: rest.join(":").trim() };
}

/** A filter by its name, without the figures of one case. */
export const filterName = (reason: string): string => filterWords(reason).filter.replace(/[:(].*$/, "").trim();

/** "0.31, needed 0.50"; nothing where it was not weighed. */
export function relevanceWords(trace: Trace): string {
  const found = trace.phases.filters?.relevance;
  return found ? `${found.probability.toFixed(2)}, needed ${found.needed.toFixed(2)}` : "";
}

/** Why nothing came up, with the figures. */
export function silenceWords(trace: Trace): string {
  const reason = trace.silence ?? "nothing came up";
  const found = trace.phases.filters?.relevance;
  const isGate = found && found.probability < found.needed;
  return isGate ? `${reason} (${found.probability.toFixed(2)} of ${found.needed.toFixed(2)})` : reason;
}

/** What came of a call, in one sentence. */
export const outcomeWords = (trace: Trace): string =>
  trace.surfaced ? `${counted(trace.shown.length, "memory", "memories")} came to mind.` : `Silence: ${silenceWords(trace)}.`;

export function costWords(trace: Trace): string {
  const { calls, prompt_tokens, completion_tokens } = trace.usage;
  const took = `${milliseconds(trace.timings_ms.total)} in all`;
  if (!calls) return `${took}, no model was asked.`;
  return `${took}, ${counted(calls, "call")} of a model, ${number(prompt_tokens)} tokens in and ${number(completion_tokens)} out.`;
}

export function milliseconds(value: number | undefined): string {
  if (value === undefined) return "";
  return value < 1 ? "under 1 ms" : `${number(Math.round(value))} ms`;
}

/** What a model that sought along answered, as words. */
export function seedsOfModel(model: Record<string, unknown> | string | undefined): readonly string[] {
  if (!model) return [];
  if (typeof model === "string") return [model];
  const all = [model.entities, model.queries, model.wonders].flatMap((one) => (Array.isArray(one) ? one : []));
  return all.map((one) => (one && typeof one === "object" ? String((one as Record<string, unknown>).hypothesis ?? "") : String(one)));
}
