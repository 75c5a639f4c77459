// Six plots of the last 90 days. Each title is a sentence with its number.
import type { Schemas } from "../../api/client";
import { counted, money, number, percent } from "../../dates";
import { Chart } from "../../parts/chart";
import { HeldBack, WhatSurfaces } from "./of_traces";

type Bucket = Schemas["TimelineBucketOut"];

export function Plots({ mind, buckets }: { mind: string; buckets: readonly Bucket[] }) {
  if (!buckets.length) return null;
  const days = buckets.map((one) => one.start);
  return (
    <section aria-labelledby="plots">
      <h2 id="plots">The last 90 days</h2>
      <div class="plots">
        <Growth days={days} buckets={buckets} />
        <Silence days={days} buckets={buckets} />
        <WhatSurfaces mind={mind} />
        <HeldBack mind={mind} />
        <Latency days={days} buckets={buckets} />
        <Cost days={days} buckets={buckets} />
      </div>
    </section>
  );
}

interface Days {
  days: readonly string[];
  buckets: readonly Bucket[];
}

const sum = (buckets: readonly Bucket[], of: (one: Bucket) => number): number =>
  buckets.reduce((all, one) => all + of(one), 0);

function Growth({ days, buckets }: Days) {
  const learned = sum(buckets, (one) => one.facts_learned);
  const ended = sum(buckets, (one) => one.facts_ended);
  const series = [
    { name: "Learned", values: buckets.map((one) => one.facts_learned), colour: "--new", isBars: true },
    { name: "Ended", values: buckets.map((one) => -one.facts_ended), colour: "--ended", isBars: true },
  ];
  return <Chart title={`It learned ${counted(learned, "fact")}, and ${ended} ended.`} days={days} series={series} />;
}

function Silence({ days, buckets }: Days) {
  const calls = sum(buckets, (one) => one.resonance.calls);
  const surfaced = sum(buckets, (one) => one.resonance.surfaced);
  const values = buckets.map(({ resonance }) => (resonance.calls ? resonance.surfaced / resonance.calls : null));
  const title = calls ? `Something came to mind in ${percent(surfaced / calls)} of the ${counted(calls, "time")} it was asked.` : "It was not asked yet.";
  const series = [{ name: "Share of calls", values, colour: "--accent" }];
  return <Chart title={title} days={days} series={series} healthy={[0.1, 0.4]} band="a good share" write={percent} none="Ask it before a turn, or talk to it, and it is drawn here." />;
}

function Latency({ days, buckets }: Days) {
  const asked = buckets.filter((one) => one.resonance.p95_ms !== null);
  const worst = Math.max(0, ...asked.map((one) => one.resonance.p95_ms ?? 0));
  const title = asked.length ? `95 of 100 times it answered within ${number(Math.round(worst))} ms, on the slowest day.` : "It was not asked yet.";
  const series = [
    { name: "half of the times", values: buckets.map((one) => one.resonance.p50_ms), colour: "--new" },
    { name: "95 of 100", values: buckets.map((one) => one.resonance.p95_ms), colour: "--accent" },
  ];
  return <Chart title={title} days={days} series={series} write={(value) => `${number(Math.round(value))} ms`} />;
}

function Cost({ days, buckets }: Days) {
  const turns = sum(buckets, (one) => one.turns);
  const cost = sum(buckets, (one) => one.resonance.cost_usd);
  const tokens = sum(buckets, (one) => one.resonance.tokens);
  const series = [{ name: "Tokens", values: buckets.map((one) => one.resonance.tokens), colour: "--kind-3", isBars: true }];
  const price = cost && turns ? `: ${money((100 * cost) / turns)} for 100 turns` : ""; // of many a model nobody knows the price
  const title = tokens ? `Looking for memories took ${counted(tokens, "token")}${price}.` : "Looking for memories cost nothing.";
  const none = "No model was asked before an answer: what came to mind was found and quoted by the service alone.";
  return <Chart title={title} days={days} series={series} none={none} />;
}
