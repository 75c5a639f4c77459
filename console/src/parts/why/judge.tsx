// Was it right? What a person says of what came up, and of what should have.
import { useState } from "preact/hooks";
import { get, post, type Schemas } from "../../api/client";
import type { Shown, Trace } from "../../api/trace";
import { go, to } from "../../router";
import { CorrectionButtons } from "../correct";
import { useLoaded, Wait } from "../load";
import { Long } from "../long";
import { mindOf, Sources, Whose } from "../sources";
import { attempt, say } from "../toast";
import { PutRight, targetOf } from "./put_right";

type Outcome = Schemas["OutcomeIn"]["outcome"];

interface JudgeProps {
  mind: string;
  of: Trace;
  again: () => void;
}

/** What came up, each with two thumbs and the ways to put it right. */
export function Judge({ mind, of, again }: JudgeProps) {
  if (!of.shown.length) return null;
  return (
    <section aria-label="Was it right?">
      <h3>Was it right?</h3>
      <ul class="list">{of.shown.map((one) => <OneShown key={one.id} mind={mind} of={of} shown={one} again={again} />)}</ul>
    </section>
  );
}

function OneShown({ mind, of, shown, again }: JudgeProps & { shown: Shown }) {
  const standing = of.outcomes?.find((one) => one.id === shown.id);
  const label = of.phases.labels?.labels?.[shown.id];
  const there = mindOf(mind, shown.id);
  return (
    <li>
      <p class="said">{there.isOther ? <Whose mind={there.mind} /> : <Long of={shown.text} most={600} />}</p>
      <p class="small quiet">{label}{label && shown.sequences.length > 0 && " · "}<Origin mind={there.mind} of={shown} /></p>
      {there.isOther && <p class="small quiet">Its words, and the ways to put it right, are in that mind.</p>}
      <div class="actions">
        <Thumb mind={mind} of={of} id={shown.id} outcome="used" standing={standing?.outcome} again={again} name="Of use" />
        <Thumb mind={mind} of={of} id={shown.id} outcome="dismissed" standing={standing?.outcome} again={again} name="Of no use" />
        <PutRight mind={mind} id={shown.id} />
      </div>
      {standing && standing.outcome !== "used" && standing.outcome !== "dismissed" && (
        <p class="small quiet">Noted before: {standing.outcome}.</p>
      )}
    </li>
  );
}

/** The turns that a memory rests on, as links to where they were said. */
function Origin({ mind, of }: { mind: string; of: Shown }) {
  const open = async (sequence: number) => {
    const path = { mind_id: mind, turn_id: `episode:${sequence}` };
    await attempt(async () => {
      const turn = await get("/v1/minds/{mind_id}/turns/{turn_id}", { path });
      go(to(mind, "replay", turn.session_id, { turn: turn.turn_id }));
    });
  };
  return (
    <>
      {of.sequences.slice(0, 3).map((one, at) => (
        <button key={one} type="button" class="link" onClick={() => void open(one)}>{at ? `, turn ${one}` : `said in turn ${one}`}</button>
      ))}
    </>
  );
}

interface ThumbProps extends JudgeProps {
  id: string;
  outcome: Outcome;
  standing: string | undefined;
  name: string;
}

const NOTED: Partial<Record<Outcome, string>> = {
  used: "Noted: it was of use. It is counted.",
  dismissed: "Noted: it was of no use. It ranks a little lower from now on.",
};

function Thumb({ mind, of, id, outcome, standing, name, again }: ThumbProps) {
  const tell = () =>
    void attempt(async () => {
      const body = { trace_id: of.trace_id, outcomes: [{ id, outcome }] };
      const { applied } = await post("/v1/minds/{mind_id}/outcomes", { path: { mind_id: mind }, body });
      say(applied ? (NOTED[outcome] ?? "Noted.") : "That could not be noted: this memory is not there any more.");
      again();
    });
  return <button type="button" aria-pressed={standing === outcome} onClick={tell}>{name}</button>;
}

/** Pick a memory that should have come up: it ranks higher from now on. */
export function ShouldHave({ mind, message }: { mind: string; message: string }) {
  const [asked, setAsked] = useState("");
  const [words, setWords] = useState(message);
  const search = (event: SubmitEvent) => {
    event.preventDefault();
    setAsked(words.trim());
  };
  return (
    <details class="should-have">
      <summary>Something else should have come up</summary>
      <p class="small">
        Find it and say so: it ranks higher for some weeks. That changes the order of what is meant, never whether
        anything is meant; Pin has it come up first.
      </p>
      <form role="search" aria-label="Find what should have come up" class="row" onSubmit={search}>
        <input type="text" aria-label="What should have come up" maxLength={2000} required value={words} onInput={(event) => setWords(event.currentTarget.value)} />
        <button type="submit">Find</button>
      </form>
      {asked && <Picked mind={mind} asked={asked} />}
    </details>
  );
}

function Picked({ mind, asked }: { mind: string; asked: string }) {
  const query = { query: asked, limit: 6 };
  const found = useLoaded(() => get("/v1/minds/{mind_id}/remember", { path: { mind_id: mind }, query }), [mind, asked]);
  const lift = (id: string) =>
    void attempt(async () => {
      const body = { outcomes: [{ id, outcome: "acted" as const }] };
      const { applied } = await post("/v1/minds/{mind_id}/outcomes", { path: { mind_id: mind }, body });
      say(applied ? "Noted: it ranks higher for some weeks. “What if…” shows whether that is enough." : "That could not be noted.");
    });
  return (
    <Wait of={found}>
      {({ memories }) =>
        memories.length ? (
          <ul class="list">
            {memories.map((one) => (
              <li key={one.id}>
                <p class="said"><Long of={one.text} most={600} /></p>
                <Sources mind={mind} of={one.sources.slice(0, 1)} />
                <button type="button" onClick={() => lift(one.id)}>This should have come up</button>
                <Corrected mind={mind} of={one} again={found.again} />
              </li>
            ))}
          </ul>
        ) : (
          <p class="quiet">Nothing like that is stored.</p>
        )
      }
    </Wait>
  );
}

function Corrected({ mind, of, again }: { mind: string; of: Schemas["MemoryOut"]; again: () => void }) {
  const target = targetOf(of.id);
  return target && <CorrectionButtons mind={mind} target={target} words={of.text} decided={of.corrections} then={again} />;
}
