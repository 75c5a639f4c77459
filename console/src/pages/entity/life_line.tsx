// Facts as bars from when they began to hold to when they ended. The list below says the same in words.
import { counted, day } from "../../dates";
import type { Fact } from "../../parts/fact";
import type { Entity } from "../entity";

const WIDE = 1000;
const SHORTEST = 6;
const MOST = 24;
const LEAST_SPAN_MS = 7 * 86_400_000;
const AFTER_PLANNED = 0.04;

interface Span {
  from: number;
  until: number;
}

/** The time that the lane shows: from the first fact to now, or to what is planned. What began long ago is cut at its left. */
function spanOf(facts: readonly Fact[], entity: Entity, now: number): Span {
  const began = facts.flatMap((one) => (one.valid_at ? [Date.parse(one.valid_at)] : []));
  const ended = facts.flatMap((one) => (one.invalid_at ? [Date.parse(one.invalid_at)] : []));
  const heard = entity.first_at ? Date.parse(entity.first_at) : now;
  const last = Math.max(now, ...ended.filter((one) => one < now + 2 * (now - heard)), ...began);
  const until = last > now ? last + (last - heard) * AFTER_PLANNED : now;
  const earliest = Math.min(heard, ...began);
  const isLongAgo = heard - earliest > 2 * (until - heard) + LEAST_SPAN_MS;
  return { from: Math.min(isLongAgo ? heard : earliest, until - LEAST_SPAN_MS), until };
}

export function LifeLine({ facts, entity }: { facts: readonly Fact[]; entity: Entity }) {
  const timed = facts.filter((one) => one.valid_at || one.sources.length);
  if (!timed.length) return null;
  const now = Date.now();
  const span = spanOf(timed, entity, now);
  const shown = timed.slice(0, MOST).sort((a, b) => beganAt(a) - beganAt(b));
  const at = (time: number) => (WIDE * (Math.max(span.from, Math.min(span.until, time)) - span.from)) / (span.until - span.from);
  const title = `${counted(shown.length, "fact")} in time, from ${day(new Date(span.from))} to ${day(new Date(span.until))}; the list below says the same`;
  return (
    <figure class="life-line">
      <div role="img" aria-label={title}>
        {shown.map((one) => <Lane key={one.id} fact={one} entity={entity} at={at} now={now} />)}
        <div class="axis"><span>{day(new Date(span.from))}</span><span>{span.until > now ? day(new Date(span.until)) : "today"}</span></div>
      </div>
      <figcaption class="small quiet">
        <Sign state="holding" /> holds <Sign state="ended" /> ended <Sign state="planned" /> planned <Sign state="wrong" /> wrong
      </figcaption>
    </figure>
  );
}

interface LaneProps {
  fact: Fact;
  entity: Entity;
  at: (time: number) => number;
  now: number;
}

function Lane({ fact, entity, at, now }: LaneProps) {
  const from = at(beganAt(fact));
  const until = at(fact.invalid_at ? Date.parse(fact.invalid_at) : fact.state === "planned" ? Infinity : now);
  const other = fact.source_id === entity.id ? fact.target : fact.source;
  return (
    <div class="lane">
      <span class={`lane-name is-${fact.state}`} title={fact.text}><bdi>{other}</bdi></span>
      <svg viewBox={`0 0 ${WIDE} 12`} preserveAspectRatio="none" aria-hidden="true">
        <line class="now" x1={at(now)} x2={at(now)} y1="0" y2="12" />
        <Bar state={fact.state} x={Math.min(from, WIDE - SHORTEST)} width={Math.max(SHORTEST, until - from)} />
      </svg>
    </div>
  );
}

const Bar = ({ state, x, width }: { state: Fact["state"]; x: number; width: number }) => (
  <>
    <rect class={`bar is-${state}`} x={x} width={width} y="2" height="8" />
    {state === "wrong" && <line class="strike" x1={x} x2={x + width} y1="6" y2="6" />}
  </>
);

const Sign = ({ state }: { state: Fact["state"] }) => (
  <svg class="sign" viewBox="0 0 28 12" aria-hidden="true"><Bar state={state} x={1} width={26} /></svg>
);

function beganAt(fact: Fact): number {
  const told = fact.sources.map((one) => Date.parse(one.timestamp));
  return fact.valid_at ? Date.parse(fact.valid_at) : Math.min(...told);
}
