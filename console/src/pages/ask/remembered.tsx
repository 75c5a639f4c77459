// What is found by meaning: facts, entities, turns and observations, best first.
import { useRef, useState } from "preact/hooks";
import { get, type Schemas } from "../../api/client";
import { CorrectionButtons, Decisions } from "../../parts/correct";
import { useHappened, useLoaded, Wait } from "../../parts/load";
import { mindOf, Sources } from "../../parts/sources";
import { When } from "../../parts/time";
import { useWalk } from "../../parts/walk";
import { PutRight } from "../../parts/why/put_right";
import { to } from "../../router";

type Memory = Schemas["MemoryOut"];
type Kind = Memory["kind"];

const KINDS: readonly [Kind, string][] = [
  ["fact", "Facts"],
  ["entity", "Entities"],
  ["episode", "Turns"],
  ["observation", "Observations"],
];

const SOME = 10;
const MANY = 50;

interface RememberedProps {
  mind: string;
  words: string;
  at: string | undefined;
  /** One more whenever it was asked anew. */
  times: number;
}

export function Remembered({ mind, words, at, times }: RememberedProps) {
  const list = useRef<HTMLElement>(null);
  useWalk(list, { Enter: ["open where it was said", "a"], e: ["put it right", ".actions button:not([aria-expanded=true])"] });
  const [kinds, setKinds] = useState<readonly Kind[]>(KINDS.map(([kind]) => kind));
  const [limit, setLimit] = useState(SOME);
  const found = useLoaded(async () => {
    if (!kinds.length) return { memories: [], degraded: [] };
    const query = { query: words, kinds: [...kinds], limit, ...(at ? { at } : {}) };
    return get("/v1/minds/{mind_id}/remember", { path: { mind_id: mind }, query });
  }, [mind, words, at, times, limit, kinds.join()]);
  useHappened(["correction.made"], found.again);
  const toggle = (kind: Kind) => setKinds(KINDS.map(([one]) => one).filter((one) => (one === kind ? !kinds.includes(one) : kinds.includes(one))));
  return (
    <section ref={list} aria-labelledby="remembered">
      <h2 id="remembered">Remembered</h2>
      <fieldset class="row kinds">
        <legend class="only-read">Kinds</legend>
        {KINDS.map(([kind, name]) => (
          <label key={kind} class="switch">
            <input type="checkbox" checked={kinds.includes(kind)} onChange={() => toggle(kind)} />
            {name}
          </label>
        ))}
      </fieldset>
      <Wait of={found}>
        {({ memories }) => (
          <>
            <ul class="list">{memories.map((one) => <Item key={one.id} mind={mind} of={one} again={found.again} />)}</ul>
            {!memories.length && <p class="quiet" role="status">Nothing like that.</p>}
            {memories.length === limit && limit < MANY && <button type="button" onClick={() => setLimit(MANY)}>More</button>}
          </>
        )}
      </Wait>
    </section>
  );
}

function Item({ mind, of, again }: { mind: string; of: Memory; again: () => void }) {
  const isWrong = of.is_contradicted || of.corrections.some((one) => one.what === "wrong" || one.what === "edit");
  const isOver = isWrong || (of.invalid_at !== null && Date.parse(of.invalid_at) <= Date.now());
  const there = mindOf(mind, of.id);
  return (
    <li data-walk tabIndex={-1}>
      <p>
        <bdi class={isOver ? "said ended" : "said"}>{of.text}</bdi>{" "}
        <span class="badge">{of.entity_kind || (of.kind === "episode" ? "turn" : of.kind)}</span>
        {of.is_contradicted && <> <span class="badge is-wrong">contradicted</span></>}
        <Held of={of} />
      </p>
      <Corrected of={of.corrections} />
      {of.kind === "entity" && <p><a href={to(there.mind, "entity", there.id)}>All about it</a></p>}
      <Sources mind={mind} of={of.sources} said={of.text} />
      {!there.isOther && <Ways mind={mind} of={of} again={again} />}
    </li>
  );
}

/** The words of a fact are all of it; of a turn and an entity an excerpt is shown, so their own words are asked for. */
function Ways({ mind, of, again }: { mind: string; of: Memory; again: () => void }) {
  if (of.kind !== "fact") return <div class="actions"><PutRight mind={mind} id={of.id} /></div>;
  return <CorrectionButtons mind={mind} target={{ kind: "fact", id: of.id, turn_ids: [] }} words={of.text} decided={of.corrections} then={again} />;
}

function Held({ of }: { of: Memory }) {
  if (of.kind !== "fact" || !of.valid_at) return null;
  return (
    <span class="small quiet">
      {" "}since <When at={of.valid_at} as="day" />
      {of.invalid_at && <> until <When at={of.invalid_at} as="day" /></>}
    </span>
  );
}

/** Who decided what of a memory, and when. "owner" and "local" are whoever sits here. */
function Corrected({ of }: { of: Memory["corrections"] }) {
  return (
    <>
      {of.map((one) => (
        <p key={one.id} class="small">
          {["owner", "local"].includes(one.by) ? "You" : <bdi>{one.by}</bdi>} corrected this <When at={one.at} />: <Decisions of={[one]} />
        </p>
      ))}
    </>
  );
}
