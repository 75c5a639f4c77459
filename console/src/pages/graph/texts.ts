// The words of facts: the columns of the graph have none, so they are asked for where the slider comes to rest.
import { useEffect, useState } from "preact/hooks";
import { get } from "../../api/client";
import { useLoaded } from "../../parts/load";
import { type Graph, WEEK } from "./model";

const SETTLED_MS = 350;
const MOST = 100;

type Texts = ReadonlyMap<string, string>;

const NONE: Texts = new Map();

/** The words of the facts of an entity, or of the week up to a time; empty until they are there. */
export function useTexts(mind: string, graph: Graph, chosen: number | null, at: number): Texts {
  const moment = useSettled(Math.round(at));
  const entity = chosen === null ? "" : (graph.ids[chosen] ?? "");
  const time = (seconds: number) => new Date(seconds * 1000).toISOString();
  const query = entity
    ? { entity, limit: MOST }
    : { since: time(Math.max(graph.since - WEEK, moment - WEEK)), until: time(moment), limit: MOST };
  const found = useLoaded(
    () => get("/v1/minds/{mind_id}/facts", { path: { mind_id: mind }, query }),
    [mind, graph, entity, entity ? 0 : moment],
  );
  return found.value ? new Map(found.value.items.map((one) => [one.id, one.text])) : NONE;
}

function useSettled(value: number): number {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), SETTLED_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
