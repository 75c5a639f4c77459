import type { Schemas } from "../../api/client";
import { counted } from "../../dates";
import { Chart } from "../../parts/chart";
import { When } from "../../parts/time";

type Dream = Schemas["DreamOut"];

const KINDS: Record<Dream["kind"], string> = { lightweight: "A light sleep", dream: "A dream", deep_sleep: "A deep sleep" };

/** Each dream: when, of how much, what it came to; and how much was done before each of them. */
export function Nights({ dreams, of }: { dreams: readonly Dream[]; of: number }) {
  return (
    <section aria-labelledby="nights">
      <h2 id="nights">Nights</h2>
      {!dreams.length && <p class="quiet">It did not dream yet.</p>}
      {dreams.length > 1 && <Before dreams={dreams} />}
      <ol class="list">{dreams.map((one) => <Night key={one.dream} of={one} />)}</ol>
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
  return <Chart title={`Before its longest night it had done ${counted(most, "thing")}.`} days={byTime.map((one) => one.t)} series={series} />;
}

function Night({ of }: { of: Dream }) {
  const lived = `${counted(of.actions, "thing")} done, ${of.failed_calls ? `${of.failed_calls} failed` : "none failed"}, ${counted(of.observations, "observation")}`;
  return (
    <li>
      <article aria-label={`Dream ${of.dream}`}>
        <h3>{KINDS[of.kind]} <span class="quiet small">· number {of.dream}, <When at={of.t} as="moment" /></span></h3>
        {of.reflection && <p class="said reflection">{of.reflection}</p>}
        {of.priority && <p><strong>What comes first:</strong> {of.priority}</p>}
        <p class="quiet small">
          {lived}.{of.is_quoted && " It quotes what was done, since there was no model."}{of.is_forced && " It was asked for."}
        </p>
      </article>
    </li>
  );
}
