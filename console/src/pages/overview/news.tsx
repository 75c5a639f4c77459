// Since somebody was here in this browser: learned, ended, told, surfaced, put right. Each with its source.
import { useEffect, useRef, useState } from "preact/hooks";
import { get, type Schemas } from "../../api/client";
import { counted } from "../../dates";
import { CorrectionButtons, Decisions, takeBack } from "../../parts/correct";
import { useHappened, useLoaded, Wait } from "../../parts/load";
import { headingWords } from "../../parts/heading";
import { mindOf } from "../../parts/sources";
import { When } from "../../parts/time";
import { attempt, say } from "../../parts/toast";
import { useWalk } from "../../parts/walk";
import { Words } from "../../parts/words";
import { to } from "../../router";

type Fact = Schemas["FactOut"];

const LEAST_AWAY_MS = 30 * 60 * 1000;

export function News({ mind }: { mind: string }) {
  const [since] = useState(() => lastHere(mind));
  const query = since ? { since, limit: 5 } : { limit: 5 };
  const news = useLoaded(() => get("/v1/minds/{mind_id}/news", { path: { mind_id: mind }, query }), [mind, since]);
  useHappened(["turn.read", "story.told", "correction.made"], news.again);
  useEffect(() => noteHere(mind), [mind]);
  return (
    <section aria-labelledby="since">
      <h2 id="since">Since you were here</h2>
      <Wait of={news}>{(found) => <Feed mind={mind} news={found} again={news.again} />}</Wait>
    </section>
  );
}

function Feed({ mind, news, again }: { mind: string; news: Schemas["NewsOut"]; again: () => void }) {
  const { learned, ended, told, surfaced, put_right } = news;
  const list = useRef<HTMLUListElement>(null);
  const isQuiet = ![learned, ended, told, surfaced, put_right].some((one) => one.count);
  useWalk(list, { Enter: ["open it", "a"], e: ["put it right", "button"] }, isQuiet);
  if (isQuiet) return <p class="quiet">Nothing new since <When at={news.since} as="moment" />.</p>;
  return (
    <ul ref={list} class="list">
      {put_right.items.map((one) => <PutRight key={one.id} mind={mind} of={one} again={again} />)}
      {learned.items.map((one) => <FactNews key={one.id} verb="Learned" mind={mind} fact={one} again={again} />)}
      {ended.items.map((one) => <FactNews key={one.id} verb="Ended" mind={mind} fact={one} again={again} />)}
      {told.items.map((one) => (
        <li key={one.digest} data-walk tabIndex={-1}>Told in the story: <a href={to(mind, "story", one.digest)}>{headingWords(one.heading)}</a></li>
      ))}
      {surfaced.items.map((one) => (
        <li key={one.trace_id} data-walk tabIndex={-1}>
          Came to mind, at “<Words of={one.message} />”:{" "}
          <Surfaced mind={mind} of={one} />
        </li>
      ))}
      <Rest news={news} />
    </ul>
  );
}

/** The way to where it came to mind. Of a memory of another mind, no words are kept here. */
function Surfaced({ mind, of }: { mind: string; of: Schemas["NewsOut"]["surfaced"]["items"][number] }) {
  const [first] = of.memories;
  const there = mindOf(mind, first?.id ?? "");
  return <a href={to(mind, "replay", of.session_id, { trace: of.trace_id })}><Words of={there.isOther ? `from ${there.mind}` : first?.text || "a memory"} /></a>;
}

function FactNews({ verb, mind, fact, again }: { verb: string; mind: string; fact: Fact; again: () => void }) {
  const [isOpen, setOpen] = useState(false);
  const source = fact.sources[0];
  return (
    <li data-walk tabIndex={-1}>
      {verb}: <Words class="said" of={fact.text} names={[fact.source, fact.target]} /> <Decisions of={fact.corrections} />{" "}
      <span class="small">
        {source && (
          <a href={to(mind, "replay", source.session_id, { turn: source.turn_id })}>
            <When at={source.timestamp} as="moment" />
          </a>
        )}{" "}
        <button type="button" class="link" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>Put it right…</button>
      </span>
      {isOpen && (
        <CorrectionButtons
          mind={mind}
          target={{ kind: "fact", id: fact.id, turn_ids: [] }}
          words={fact.text}
          decided={fact.corrections}
          then={again}
        />
      )}
    </li>
  );
}

const DECIDED: Record<Schemas["WhatOut"], string> = {
  edit: "Put right",
  wrong: "Called wrong",
  right: "Called right",
  say: "Said",
  pin: "Pinned",
  mute: "Muted",
  merge: "Merged",
  split: "Split",
  rename: "Renamed",
};

function PutRight({ mind, of, again }: { mind: string; of: Schemas["CorrectionOut"]; again: () => void }) {
  const undo = async () => {
    if (await attempt(() => takeBack(mind, of.id))) say("Taken back.");
    again();
  };
  return (
    <li>
      {DECIDED[of.what]}: <Words class="said" of={whole(of.target.text || (of.to ?? ""))} />
      {of.target.text && of.to && of.to !== of.target.text && <> → <Words class="said" of={of.to} /></>}{" "}
      {of.state === "stands" ? (
        <button type="button" class="link small" onClick={() => void undo()}>Undo</button>
      ) : (
        <span class="badge">{of.state}</span>
      )}
    </li>
  );
}

/** Words that may have been cut in the middle, with a sign that they were. */
const whole = (text: string): string => (text.length > 80 && /\w\s*$/.test(text) ? `${text.trimEnd()} …` : text);

function Rest({ news }: { news: Schemas["NewsOut"] }) {
  const groups = [news.learned, news.ended, news.told, news.surfaced, news.put_right];
  const more = groups.reduce((sum, one) => sum + one.count - one.items.length, 0);
  return more > 0 ? <li class="quiet">and {counted(more, "more thing")}</li> : null;
}

const placeOf = (mind: string): string => `mind-memory-here:${mind}`;

/** When somebody was last here before this visit, null the first time. */
function lastHere(mind: string): string | null {
  const [newest, before] = (localStorage.getItem(placeOf(mind)) ?? "").split(" ");
  if (!newest) return null;
  return Date.now() - Date.parse(newest) > LEAST_AWAY_MS ? newest : before || null;
}

function noteHere(mind: string): void {
  const since = lastHere(mind);
  localStorage.setItem(placeOf(mind), `${new Date().toISOString()} ${since ?? ""}`.trim());
}
