import { useState } from "preact/hooks";
import { get } from "../../api/client";
import { correct, type Target } from "../../parts/correct";
import { useLoaded } from "../../parts/load";
import { WHY } from "../entity";
import { Asked, type DialogProps } from "./corrections";

interface Choice {
  id: string;
  name: string;
  note: string;
}

const MOST_FOUND = 8;

/** Says that this entity is another one: a look-alike, or one that is searched for. */
export function Merge({ mind, entity, close, again }: DialogProps) {
  const [words, setWords] = useState("");
  const [chosen, setChosen] = useState("");
  const found = useLoaded(() => choicesOf(mind, words, entity.id), [mind, words.trim()]);
  const alike = entity.lookalikes.map((one): Choice => ({ id: one.id, name: one.name, note: WHY[one.why] }));
  const choices = words.trim() ? (found.value ?? []) : alike;
  const target: Target = { kind: "entity", id: entity.id, turn_ids: [] };
  const save = () => correct(mind, { what: "merge", target, to: chosen }, again);
  const isShown = choices.some((one) => one.id === chosen);
  return (
    <Asked title="Who is it really?" verb="They are one" isReady={isShown} save={save} close={close}>
      <p class="quiet">
        <bdi>{entity.called || entity.name}</bdi> becomes the one that you choose. Both names find what is known of either.
      </p>
      <label>
        Find an entity
        <input type="search" maxLength={2000} value={words} onInput={(event) => setWords(event.currentTarget.value)} />
      </label>
      <fieldset>
        <legend>{words.trim() ? "Called that" : "They look alike"}</legend>
        {choices.map((one) => (
          <label key={one.id} class="switch">
            <input type="radio" name="other" checked={one.id === chosen} onChange={() => setChosen(one.id)} />
            <span><bdi>{one.name}</bdi> <span class="quiet small">{one.note}</span></span>
          </label>
        ))}
        {!choices.length && <p class="quiet" role="status">{words.trim() ? "Nothing else is called that." : "Nothing looks like it. Search above."}</p>}
      </fieldset>
    </Asked>
  );
}

async function choicesOf(mind: string, words: string, self: string): Promise<readonly Choice[]> {
  if (!words.trim()) return [];
  const query = { query: words.trim(), limit: MOST_FOUND + 1 };
  const found = await get("/v1/minds/{mind_id}/entities", { path: { mind_id: mind }, query });
  return found.items
    .filter((one) => one.id !== self)
    .slice(0, MOST_FOUND)
    .map((one) => ({ id: one.id, name: one.called || one.name, note: one.kind }));
}
