// The facts of one entity: on a lane of time, as a list, and the conversations that they come from.
import { useState } from "preact/hooks";
import type { Fact } from "../../parts/fact";
import { FactList, type State, StateSelect, useFacts } from "../../parts/fact_list";
import { When } from "../../parts/time";
import { to } from "../../router";
import type { Entity } from "../entity";
import { LifeLine } from "./life_line";

export function EntityFacts({ mind, entity }: { mind: string; entity: Entity }) {
  const [state, setState] = useState<State>("");
  const facts = useFacts(mind, { entity: entity.id, state });
  return (
    <>
      <section aria-labelledby="facts">
        <div class="row between">
          <h2 id="facts">What is known</h2>
          <StateSelect value={state} change={setState} />
        </div>
        <LifeLine facts={facts.value ?? []} entity={entity} />
        <FactList mind={mind} facts={facts} none={state ? "No fact is like that." : "No fact joins it yet."} />
      </section>
      <Conversations mind={mind} facts={facts.value ?? []} />
    </>
  );
}

function Conversations({ mind, facts }: { mind: string; facts: readonly Fact[] }) {
  const newest = new Map(
    facts
      .flatMap((one) => one.sources)
      .sort((a, b) => a.timestamp.localeCompare(b.timestamp))
      .map((one) => [one.session_id, one]),
  );
  if (!newest.size) return null;
  return (
    <section aria-labelledby="conversations">
      <h2 id="conversations">The conversations that this comes from</h2>
      <ul class="list">
        {[...newest.values()].reverse().map((one) => (
          <li key={one.session_id} class="row between">
            <span>
              <a href={to(mind, "replay", one.session_id, { turn: one.turn_id })}><bdi>{one.session_id}</bdi></a>,{" "}
              <span class="quiet"><When at={one.timestamp} as="day" /></span>
            </span>
            <a href={to(mind, "erase", "", { session: one.session_id })}>Erase all that came from it</a>
          </li>
        ))}
      </ul>
    </section>
  );
}
