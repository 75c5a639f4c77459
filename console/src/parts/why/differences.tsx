// Two traces of the same call: what appears, what goes, what stays, and which filter decided each.
import type { Trace } from "../../api/trace";
import { counted } from "../../dates";
import { Long } from "../long";
import { Phases } from "./phases";
import { costWords, type Fate, fateOf, relevanceWords, rungWords, silenceWords } from "./words";

interface DifferencesProps {
  then: Trace;
  now: Trace;
}

export function Differences({ then, now }: DifferencesProps) {
  const before = new Set(then.shown.map((one) => one.id));
  const after = new Set(now.shown.map((one) => one.id));
  const appears = now.shown.filter((one) => !before.has(one.id));
  const goes = then.shown.filter((one) => !after.has(one.id));
  const stays = now.shown.filter((one) => before.has(one.id));
  const [was, is] = [relevanceWords(then), relevanceWords(now)];
  return (
    <section class="differences" aria-label="The difference">
      <h3>{headline(then, now, appears.length, goes.length)}</h3>
      {found(then) > 0 && !found(now) && (
        <p class="small">Nothing was kept by then, as the clock of the service tells it. Try “now”.</p>
      )}
      {is && <p class="small quiet">Likely to be meant: {is}{was && was !== is && <> (it was {was})</>}.</p>}
      <Group name="Comes up now" mark="+" of={appears} why={(id) => `before: ${fateWords(fateOf(then, id))}`} />
      <Group name="Goes" mark="−" of={goes} why={(id) => fateWords(fateOf(now, id))} />
      <Group name="Stays" mark="=" of={stays} why={() => ""} />
      {now.degraded.length > 0 && <ul class="small skipped">{now.degraded.map((one) => <li key={one}>{rungWords(one)}</li>)}</ul>}
      <details>
        <summary>Step by step</summary>
        <Phases of={now} />
        <p class="small quiet">{costWords(now)}</p>
      </details>
    </section>
  );
}

function headline(then: Trace, now: Trace, appears: number, goes: number): string {
  if (!now.surfaced) return `${then.surfaced ? "It would keep silent" : "It would keep silent, too"}: ${silenceWords(now)}.`;
  if (!then.surfaced) return `It would not keep silent: ${counted(appears, "memory comes", "memories come")} up.`;
  if (!appears && !goes) return "The same would come up.";
  return `${counted(appears, "memory comes", "memories come")} up, ${goes ? counted(goes, "goes", "go") : "none goes"}.`;
}

const found = (trace: Trace): number => trace.phases.retrieval?.candidates?.length ?? 0;

const fateWords = ({ filter, reason }: Fate): string => (reason ? `${filter.toLowerCase()} (${reason})` : filter.toLowerCase());

interface GroupProps {
  name: string;
  mark: string;
  of: readonly { id: string; text: string }[];
  why: (id: string) => string;
}

function Group({ name, mark, of, why }: GroupProps) {
  if (!of.length) return null;
  return (
    <>
      <h4>{name}</h4>
      <ul class="list" data-mark={mark}>
        {of.map((one) => (
          <li key={one.id}>
            <span class="said"><span aria-hidden="true">{mark} </span><Long of={one.text} most={600} /></span>
            {why(one.id) && <p class="small quiet">{why(one.id)}</p>}
          </li>
        ))}
      </ul>
    </>
  );
}
