// How tired the agent was over the last days: a line that rises with each thing done and falls with a dream; sleeps as bands.
import { get, type Schemas } from "../../api/client";
import { counted, moment } from "../../dates";
import { Chart } from "../../parts/chart";
import { useHappened, useLoaded, Wait } from "../../parts/load";

type All = Schemas["FatigueOut"];
type Sleep = Schemas["PastSleepOut"];

const DAYS = 7;
const KINDS: Record<Sleep["kind"], string> = { nap: "A nap", lightweight: "A light sleep", dream: "A dream", deep_sleep: "A deep sleep" };

export function Fatigue({ mind, night }: { mind: string; night: string }) {
  const query = { days: DAYS };
  const found = useLoaded(() => get("/v1/minds/{mind_id}/fatigue", { path: { mind_id: mind }, query }), [mind, night]);
  useHappened(["turn.kept", "reset"], found.again);
  return (
    <section aria-labelledby="fatigue">
      <h2 id="fatigue">How tired it was</h2>
      <Wait of={found}>
        {(all) => (all.points.length ? <Line of={all} /> : <p class="quiet">It did nothing in the last {DAYS} days, so there is no line to draw.</p>)}
      </Wait>
    </section>
  );
}

function Line({ of }: { of: All }) {
  const { points, sleeps, limit, warning, asleep_since, until } = of;
  const most = Math.max(...points.map((one) => one.actions));
  const times = points.map((one) => one.at);
  const series = [
    { name: "Done since its last dream", values: points.map((one) => one.actions), colour: "--accent" },
    { name: `From ${warning} on it is tired`, values: times.map(() => (most >= warning / 2 ? warning : null)), colour: "--soft" },
  ];
  const spans = sleeps.map((one) => [one.asleep_at, one.woke_at] as const);
  const all = asleep_since ? [...spans, [asleep_since, until] as const] : spans;
  return (
    <>
      <Chart
        title={`In ${DAYS} days it did ${counted(most, "thing")} without a dream, at most; after ${limit} it has to sleep.`}
        days={times}
        series={series}
        spans={all}
        say={moment}
        column="When"
      />
      <Sleeps of={sleeps} asleepSince={asleep_since} />
    </>
  );
}

function Sleeps({ of, asleepSince }: { of: readonly Sleep[]; asleepSince: string | null }) {
  if (!of.length && !asleepSince) return <p class="quiet small">It did not sleep in these days.</p>;
  return (
    <details class="small">
      <summary>The shaded bands: it slept {counted(of.length + (asleepSince ? 1 : 0), "time")}</summary>
      <ul class="list">
        {asleepSince && <li>Since {moment(asleepSince)}, and it still sleeps</li>}
        {[...of].reverse().map((one) => (
          <li key={one.asleep_at}>{KINDS[one.kind]}, from {moment(one.asleep_at)} to {moment(one.woke_at)}</li>
        ))}
      </ul>
    </details>
  );
}
