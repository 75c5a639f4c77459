// Facts in pages, of one entity or of all, with a filter for how they stand.
import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import { get, type Schemas } from "../api/client";
import { type Fact, FactItem } from "./fact";
import { useHappened, Wait } from "./load";
import { More, type Paged, usePaged } from "./paged";
import { useWalk } from "./walk";

export type State = "" | "holding" | "ended" | "planned";

export interface FactsAsked {
  entity?: string;
  state?: State;
  query?: string;
  since?: string;
  until?: string;
}

export const STATES: readonly [State, string][] = [
  ["", "In any state"],
  ["holding", "That hold"],
  ["ended", "That ended"],
  ["planned", "Planned"],
];

export const stateOf = (word: string | null): State => STATES.find(([state]) => state === word)?.[0] ?? "";

export function useFacts(mind: string, asked: FactsAsked): Paged<Fact> {
  const { state, ...others } = asked;
  const query = { ...others, ...(state ? { state } : {}) };
  const page = (by: { limit: number; cursor?: string }) =>
    get("/v1/minds/{mind_id}/facts", { path: { mind_id: mind }, query: { ...query, ...by } });
  const facts = usePaged<Schemas["FactOut"]>(page, [mind, JSON.stringify(asked)]);
  useHappened(["turn.read", "correction.made", "reset"], facts.again);
  return facts;
}

export function FactList({ mind, facts, none }: { mind: string; facts: Paged<Fact>; none: ComponentChildren }) {
  const place = useRef<HTMLDivElement>(null);
  useWalk(place, { Enter: ["open whom it is about", "a"], e: ["say it otherwise", ".actions button"], w: ["where it comes from", "summary"] });
  return (
    <div ref={place}>
      <Wait of={facts}>
        {(items) =>
          items.length ? (
            <ul class="list facts">{items.map((one) => <FactItem key={one.id} mind={mind} fact={one} again={facts.again} />)}</ul>
          ) : (
            <p class="quiet" role="status">{none}</p>
          )
        }
      </Wait>
      <More of={facts} one="fact" />
    </div>
  );
}

export function StateSelect({ value, change }: { value: State; change: (state: State) => void }) {
  return (
    <label>
      State
      <select value={value} onChange={(event) => change(stateOf(event.currentTarget.value))}>
        {STATES.map(([state, name]) => <option key={state} value={state}>{name}</option>)}
      </select>
    </label>
  );
}
