// Forget: what would go, before; the mind's name to confirm; a receipt, after.
import { useLayoutEffect, useState } from "preact/hooks";
import { get, type Problem, raw, type Schemas } from "../api/client";
import { counted, day, number } from "../dates";
import { By } from "../parts/correct";
import { asProblem, Trouble, useLoaded, Wait } from "../parts/load";
import { headingWords } from "../parts/heading";
import { More, usePaged } from "../parts/paged";
import { When } from "../parts/time";
import { place, setQuery, to } from "../router";

type Receipt = Schemas["ErasedOut"];

/** What would go: counts by their names, and what of it people wrote. */
interface Preview {
  chapters?: { heading: string; is_edited: boolean }[];
  files?: string[];
  /** Those of the files that stay, since people own them. */
  left?: string[];
  [count: string]: unknown;
}

interface What {
  path: string;
  segments: Record<string, string>;
  name: string;
}

const WHOLE = "/v1/minds/{mind_id}";

function whatOf(mind: string): What {
  const { query } = place.value;
  const [session, turn] = [query.get("session"), query.get("turn")];
  const segments: Record<string, string> = { mind_id: mind };
  if (turn) return { path: "/v1/minds/{mind_id}/turns/{turn_id}", segments: { ...segments, turn_id: turn }, name: "one turn" };
  if (session) {
    const path = "/v1/minds/{mind_id}/sessions/{session_id}";
    return { path, segments: { ...segments, session_id: session }, name: `the conversation ${session}` };
  }
  return { path: WHOLE, segments, name: "everything" };
}

export default function Erase({ mind }: { mind: string }) {
  const what = whatOf(mind);
  const chosen = JSON.stringify(what.segments);
  const [receipt, setReceipt] = useState<Receipt | null>(null);
  useLayoutEffect(() => setReceipt(null), [chosen]);
  const another = () => {
    setReceipt(null);
    setQuery({ session: "", turn: "" });
  };
  return (
    <section class="page erase">
      <h1>Forget</h1>
      {receipt ? (
        <ReceiptCard of={receipt} another={what.path === WHOLE ? undefined : another} />
      ) : (
        <>
          <Choice mind={mind} />
          <Ask key={chosen} mind={mind} what={what} done={setReceipt} />
          <Receipts mind={mind} />
        </>
      )}
    </section>
  );
}

function Ask({ mind, what, done }: { mind: string; what: What; done: (receipt: Receipt) => void }) {
  const asked = { path: what.segments, query: { dry_run: true } as never };
  const preview = useLoaded<Preview>(async () => (await raw("delete", what.path, asked)).json(), [what.path, JSON.stringify(what.segments)]);
  return (
    <>
      <h2>What would go: {what.name}</h2>
      <Wait of={preview}>{(found) => <WouldGo of={found} />}</Wait>
      {preview.value && <Confirm mind={mind} what={what} isWhole={what.path === WHOLE} done={done} />}
    </>
  );
}

const ONE_TURN = " "; // no conversation is called so

function Choice({ mind }: { mind: string }) {
  const sessions = usePaged((by) => get("/v1/minds/{mind_id}/sessions", { path: { mind_id: mind }, query: by }), [mind]);
  const { query } = place.value;
  const items = sessions.value ?? [];
  const [session, isTurn] = [query.get("session") ?? "", query.has("turn")];
  const isUnlisted = !isTurn && session !== "" && !items.some((one) => one.session_id === session);
  return (
    <>
      <label>
        What to forget
        <select value={isTurn ? ONE_TURN : session} onChange={(event) => setQuery({ session: event.currentTarget.value, turn: "" })}>
          <option value="">Everything</option>
          {isTurn && <option value={ONE_TURN}>One turn</option>}
          {isUnlisted && <option value={session}>{session}</option>}
          {items.map((one) => (
            <option key={one.session_id} value={one.session_id}>{day(one.last_at)} · {one.opening.slice(0, 60) || one.session_id}</option>
          ))}
        </select>
      </label>
      {sessions.problem && <Trouble problem={sessions.problem} again={sessions.again} />}
      {sessions.hasMore && <More of={sessions} one="conversation" />}
    </>
  );
}

const COUNTS: Record<string, string> = {
  turns: "turns, each with what was said and answered",
  facts: "facts",
  entities: "people, places and things",
  traces: "notes of what came to mind",
  corrections: "things that people put right",
};

function WouldGo({ of }: { of: Preview }) {
  const counts = Object.entries(of).filter((entry): entry is [string, number] => typeof entry[1] === "number");
  const edited = of.chapters?.filter((one) => one.is_edited) ?? [];
  return (
    <div class="card">
      <table>
        <tbody>
          {counts.map(([name, count]) => (
            <tr key={name}><th scope="row">{COUNTS[name] ?? name.replaceAll("_", " ")}</th><td>{number(count)}</td></tr>
          ))}
          {of.chapters && <tr><th scope="row">chapters of the story</th><td>{of.chapters.length}</td></tr>}
          {of.files && <tr><th scope="row">files</th><td>{of.files.length}</td></tr>}
        </tbody>
      </table>
      {edited.length > 0 && (
        <>
          <p>A person edited these chapters; they stay as they are, and may still tell of it:</p>
          <ul>{edited.map((one) => <li key={one.heading} class="said">{headingWords(one.heading)}</li>)}</ul>
        </>
      )}
      {of.left && of.left.length > 0 && <p>These files are yours, and stay: {of.left.join(", ")}.</p>}
    </div>
  );
}

interface ConfirmProps {
  mind: string;
  what: What;
  isWhole: boolean;
  done: (receipt: Receipt) => void;
}

function Confirm({ mind, what, isWhole, done }: ConfirmProps) {
  const [typed, setTyped] = useState("");
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const erase = async (event: SubmitEvent) => {
    event.preventDefault();
    setBusy(true);
    setProblem(null);
    try {
      done(await (await raw("delete", what.path, { path: what.segments })).json());
    } catch (error) {
      setProblem(asProblem(error));
    }
    setBusy(false);
  };
  return (
    <form onSubmit={erase}>
      <label>
        <span>To forget {what.name} for good, type the name of this memory: <b>{mind}</b></span>
        <input value={typed} autocomplete="off" onInput={(event) => setTyped(event.currentTarget.value)} />
      </label>
      <p class="row">
        <button type="submit" class="danger" disabled={typed !== mind || isBusy}>{isBusy ? "Forgetting…" : "Forget it"}</button>
        {isWhole && <a href={to(mind, "moving")}>Save an archive first</a>}
      </p>
      {problem && <Trouble problem={problem} />}
    </form>
  );
}

function ReceiptCard({ of, another }: { of: Receipt; another: (() => void) | undefined }) {
  return (
    <div class="card receipt" role="status">
      <h2>Receipt</h2>
      <ul class="list">
        {of.erased.map((one) => <li key={`${one.place} ${one.unit}`}>{one.place}: {erasedWords(one)}</li>)}
        {of.left.map((one) => <li key={one}>left: {one}</li>)}
        {of.edited_by_person.map((one) => <li key={one}>a person's own, left as it is: <span class="said">{one}</span></li>)}
        <li>{foundWords(of)}</li>
      </ul>
      <p class="row">
        <button type="button" onClick={() => print()}>Print</button>
        {another && <button type="button" onClick={another}>Forget something else</button>}
        <a href={to("")}>All minds</a>
      </p>
    </div>
  );
}

/** What a receipt counts: the word for one, and for many where that is not the unit itself. */
const UNITS: Record<string, readonly [one: string, many?: string]> = {
  turns: ["turn"],
  episodes: ["turn that was saved", "turns that were saved"],
  passages: ["passage"],
  facts: ["fact"],
  entities: ["person, place or thing", "people, places and things"],
  summaries_made_again: ["summary made again", "summaries made again"],
  turns_read_again: ["turn read again", "turns read again"],
  keys: ["key of the database", "keys of the database"],
  files: ["file"],
  bytes: ["byte"],
  chapters: ["chapter"],
  turns_owed: ["turn to be told again", "turns to be told again"],
  versions: ["earlier version"],
  dreams_owed: ["dream to be dreamt again", "dreams to be dreamt again"],
  lines: ["line"],
  traces: ["note of what came to mind", "notes of what came to mind"],
  outcomes: ["judgement"],
  corrections: ["thing put right", "things put right"],
};

function erasedWords({ unit, count }: { unit: string; count: number }): string {
  const [one, many] = UNITS[unit] ?? [unit.replaceAll("_", " "), unit.replaceAll("_", " ")];
  return counted(count, one, many);
}

function foundWords(of: Receipt): string {
  if (of.waiting_for) return `It goes on: waiting for ${of.waiting_for}.`;
  return of.found.length ? `Searched: still found in ${of.found.join(", ")}.` : "Searched: nothing found.";
}

/** What a receipt says that is kept: counts, never words. */
interface KeptReceipt {
  id: string;
  kind: "mind" | "session" | "turn";
  by: string;
  erased_at: string;
  verified: boolean;
  erased: { place: string; unit: string; count: number }[];
}

const KINDS = { mind: "everything", session: "a conversation", turn: "one turn" };

function Receipts({ mind }: { mind: string }) {
  const ask = async () => (await get("/v1/minds/{mind_id}/erasures", { path: { mind_id: mind } })) as unknown as { items: KeptReceipt[] };
  const kept = useLoaded(ask, [mind]);
  if (kept.problem) return <Trouble problem={kept.problem} again={kept.again} />;
  if (!kept.value?.items.length) return null;
  return (
    <section aria-labelledby="receipts">
      <h2 id="receipts">Earlier receipts</h2>
      <ul class="list">
        {kept.value.items.map((one) => (
          <li key={one.id}>
            <When at={one.erased_at} as="moment" />, by <By who={one.by} />: {KINDS[one.kind]},{" "}
            {one.verified ? "searched: nothing found" : "not yet searched"}
            <p class="quiet small">{one.erased.map((part) => `${part.place}: ${erasedWords(part)}`).join(", ")}</p>
          </li>
        ))}
      </ul>
    </section>
  );
}
