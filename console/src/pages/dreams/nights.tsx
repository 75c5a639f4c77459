// Each dream of an agent: what it came to, what it changed, and the way to take it back.
import { useRef } from "preact/hooks";
import { post, remove, type Schemas } from "../../api/client";
import { counted, moment } from "../../dates";
import { Chart } from "../../parts/chart";
import { When } from "../../parts/time";
import { attempt, say } from "../../parts/toast";
import { useWalk } from "../../parts/walk";
import { Changes } from "./changes";

type Dream = Schemas["DreamOut"];

const KINDS: Record<Dream["kind"], string> = { lightweight: "A light sleep", dream: "A dream", deep_sleep: "A deep sleep" };

/** Each dream: when, of how much, what it came to; and how much was done before each of them. */
export function Nights({ mind, dreams, of, changed }: { mind: string; dreams: readonly Dream[]; of: number; changed: () => void }) {
  const list = useRef<HTMLElement>(null);
  useWalk(list, { Enter: ["see what it changed", "summary"] });
  return (
    <section ref={list} aria-labelledby="nights">
      <h2 id="nights">Nights</h2>
      {!dreams.length && <p class="quiet">It did not dream yet. It does when it sleeps long enough, or is exhausted.</p>}
      {dreams.length > 1 && <Before dreams={dreams} />}
      <ol class="list">{dreams.map((one) => <Night key={one.dream} mind={mind} of={one} changed={changed} />)}</ol>
      {of > dreams.length && <p class="quiet">The newest {dreams.length} of {of}.</p>}
    </section>
  );
}

function Before({ dreams }: { dreams: readonly Dream[] }) {
  const byTime = [...dreams].sort((a, b) => a.t.localeCompare(b.t));
  const most = Math.max(...dreams.map((one) => one.actions));
  const series = [
    { name: "Done before the dream", values: byTime.map((one) => one.actions), colour: "--accent", isBars: true },
    { name: "Failed", values: byTime.map((one) => one.failed_calls), colour: "--wrong", isDots: true },
  ];
  return <Chart title={`Before its longest night it had done ${counted(most, "thing")}.`} days={byTime.map((one) => one.t)} series={series} say={moment} column="Dream" />;
}

function Night({ mind, of, changed }: { mind: string; of: Dream; changed: () => void }) {
  const lived = `${counted(of.actions, "thing")} done, ${of.failed_calls ? `${of.failed_calls} failed` : "none failed"}, ${counted(of.observations, "observation")}`;
  const isUndone = of.undone_at !== null;
  const words = isUndone ? "said ended" : "said";
  return (
    <li>
      <article aria-label={`Dream ${of.dream}`} tabIndex={-1} data-walk>
        <h3>
          {KINDS[of.kind]} <span class="quiet small">· number {of.dream}, <When at={of.t} as="moment" /></span>{" "}
          {isUndone && <span class="badge">taken back</span>}
        </h3>
        {of.reflection && <p class={`${words} reflection`}>{of.reflection}</p>}
        {of.priority && <p class={isUndone ? "ended" : undefined}><strong>What comes first:</strong> {of.priority}</p>}
        <p class="quiet small">
          {lived}.{of.is_quoted && " It quotes what was done, since no model dreamt it."}{of.is_forced && " It had to sleep."}
        </p>
        <Changes of={of.changes} isUndone={isUndone} />
        <TakeBack mind={mind} of={of} changed={changed} />
      </article>
    </li>
  );
}

/** Take a dream back, or let it count again; each is taken back where it is said. */
function TakeBack({ mind, of, changed }: { mind: string; of: Dream; changed: () => void }) {
  const path = { mind_id: mind, dream: String(of.dream) };
  const undo = () => post("/v1/minds/{mind_id}/dreams/{dream}/undo", { path });
  const redo = () => remove("/v1/minds/{mind_id}/dreams/{dream}/undo", { path });
  const does = (deed: () => Promise<unknown>, words: string, back: () => Promise<unknown>) => () =>
    void attempt(async () => {
      await deed();
      changed();
      say(words, () => back().then(changed));
    });
  if (of.undone_at !== null) {
    return (
      <p class="quiet small">
        Taken back <When at={of.undone_at} />: what it observed and reflected does not count.{" "}
        <button type="button" onClick={does(redo, "The dream counts again.", undo)}>Let it count again</button>
      </p>
    );
  }
  return (
    <p class="actions">
      <button type="button" onClick={does(undo, "The dream is taken back: what it observed and reflected is gone.", redo)}>Take it back</button>
    </p>
  );
}
