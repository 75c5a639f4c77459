// The words of facts: the columns of the graph have none, so they are asked for where the slider comes to rest.
import { useEffect, useState } from "preact/hooks";
import { get } from "../../api/client";
import type { Fact } from "../../parts/fact";
import { useLoaded } from "../../parts/load";
import { type Graph, WEEK, weekAt } from "./model";

const SETTLED_MS = 350;
const MOST = 100;
/** So many that ended in a week are listed. */
export const MOST_ENDED = 6;

/** What a list says of a fact: its words, and what people decided of it. */
export type Told = Pick<Fact, "text" | "corrections">;

type Texts = ReadonlyMap<string, Told>;

const NONE: Texts = new Map();

/** The words of the facts of an entity, or of the week up to a time; empty until they are there. */
export function useTexts(mind: string, graph: Graph, chosen: number | null, at: number): Texts {
  const moment = useSettled(Math.round(at));
  const entity = chosen === null ? "" : (graph.ids[chosen] ?? "");
  const time = (seconds: number) => new Date(seconds * 1000).toISOString();
  const query = entity
    ? { entity, limit: MOST }
    : { since: time(Math.max(graph.since - WEEK, moment - WEEK)), until: time(moment), limit: MOST };
  const found = useLoaded(async () => {
    const { items } = await get("/v1/minds/{mind_id}/facts", { path: { mind_id: mind }, query });
    const texts = new Map<string, Told>(items.map((one) => [one.id, one]));
    const ended = entity ? [] : weekAt(graph, moment).ended.slice(0, MOST_ENDED);
    const missing = ended.map((fact) => graph.factIds[fact] ?? "").filter((id) => id && !texts.has(id));
    for (const one of await Promise.all(missing.map((id) => textOf(mind, id)))) texts.set(...one);
    return texts;
  }, [mind, graph, entity, entity ? 0 : moment]);
  return found.value ?? NONE;
}

/** What ended in a week was told earlier, so it is not among the facts of the week. */
async function textOf(mind: string, id: string): Promise<[string, Told]> {
  const one = await get("/v1/minds/{mind_id}/facts/{fact_id}", { path: { mind_id: mind, fact_id: id } });
  return [id, one];
}

function useSettled(value: number): number {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), SETTLED_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
