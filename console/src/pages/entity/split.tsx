import { useState } from "preact/hooks";
import { get } from "../../api/client";
import { correct, type Target } from "../../parts/correct";
import type { Fact } from "../../parts/fact";
import { useLoaded, Wait } from "../../parts/load";
import { Asked, type DialogProps } from "./corrections";

const MOST_FACTS = 100;

/** Says that some of what is known is about another one. What is chosen are facts; what is sent are the turns that told them. */
export function Split({ mind, entity, close, again }: DialogProps) {
  const [name, setName] = useState("");
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const query = { entity: entity.id, limit: MOST_FACTS };
  const facts = useLoaded(() => get("/v1/minds/{mind_id}/facts", { path: { mind_id: mind }, query }), [mind, entity.id]);
  const toggle = (id: string) => setChosen(chosen.has(id) ? new Set([...chosen].filter((one) => one !== id)) : new Set([...chosen, id]));
  const save = async () => {
    const others = (facts.value?.items ?? []).filter((one) => chosen.has(one.id));
    const turns = (await Promise.all(others.map((one) => turnsOf(mind, one)))).flat();
    const target: Target = { kind: "entity", id: entity.id, turn_ids: [...new Set(turns)] };
    return correct(mind, { what: "split", target, to: name.trim() }, again);
  };
  return (
    <Asked title="Two of the same name" verb="They are two" isReady={Boolean(name.trim()) && chosen.size > 0} save={save} close={close}>
      <label>
        What the other one is called
        <input required maxLength={2000} value={name} onInput={(event) => setName(event.currentTarget.value)} />
      </label>
      <fieldset>
        <legend>About the other one are</legend>
        <Wait of={facts}>
          {({ items }) => (
            <div class="choices" tabIndex={0} role="group" aria-label="Facts">
              {items.map((one) => (
                <label key={one.id} class="switch">
                  <input type="checkbox" checked={chosen.has(one.id)} onChange={() => toggle(one.id)} />
                  <bdi class="said">{one.text}</bdi>
                </label>
              ))}
            </div>
          )}
        </Wait>
      </fieldset>
      <p class="small quiet">The turns that told these facts count for the other one from now on.</p>
    </Asked>
  );
}

/** All turns that told a fact: a list has only the newest of them. */
async function turnsOf(mind: string, fact: Fact): Promise<string[]> {
  const whole = fact.turns > fact.sources.length;
  const path = { mind_id: mind, fact_id: fact.id };
  const { sources } = whole ? await get("/v1/minds/{mind_id}/facts/{fact_id}", { path }) : fact;
  return sources.map((one) => one.turn_id);
}
