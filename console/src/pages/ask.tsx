// A question to the memory: what it answers with its sources, what it remembers, and what was said word for word.
import { useEffect, useState } from "preact/hooks";
import { counted, endOfDay, isDay } from "../dates";
import { go, place, setQuery, to } from "../router";
import { Answered } from "./ask/answered";
import { Remembered } from "./ask/remembered";
import { WordForWord } from "./ask/word_for_word";

const LONGEST = 2000;

export default function Ask({ mind }: { mind: string }) {
  const asked = place.value.query;
  const question = (asked.get("q") ?? "").trim().slice(0, LONGEST);
  const on = asked.get("at") ?? "";
  const at = isDay(on) ? endOfDay(on) : undefined;
  const [times, setTimes] = useState(0); // the same question may be asked again
  const ask = (words: string) => {
    if (words === question) setTimes((now) => now + 1);
    else go(to(mind, "ask", "", { ...Object.fromEntries(asked), q: words }));
  };
  return (
    <section class="page ask-page">
      <h1>Ask the memory</h1>
      <Question question={question} on={on} ask={ask} />
      {question ? (
        <>
          <Answered key={`${times} ${at} ${question}`} mind={mind} question={question} at={at} />
          <div class="two">
            <Remembered mind={mind} words={question} at={at} times={times} />
            <WordForWord mind={mind} question={question} times={times} />
          </div>
        </>
      ) : (
        <p class="quiet">
          Each line of the answer says where it comes from. To read all that is known, see <a href={to(mind, "facts")}>the facts</a>.
        </p>
      )}
    </section>
  );
}

function Question({ question, on, ask }: { question: string; on: string; ask: (words: string) => void }) {
  const [typed, setTyped] = useState(question);
  useEffect(() => setTyped(question), [question]);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    ask(typed.trim());
  };
  const left = LONGEST - typed.length;
  return (
    <form class="row question" onSubmit={submit}>
      <label class="wide">
        Question
        <input value={typed} maxLength={LONGEST} onInput={(event) => setTyped(event.currentTarget.value)} placeholder="Where does my mother live?" />
      </label>
      <label>
        Facts that held on
        <input type="date" value={on} onChange={(event) => setQuery({ at: event.currentTarget.value })} />
      </label>
      <button type="submit" class="main" disabled={!typed.trim()}>Ask</button>
      {on && <span class="small quiet">What was said later is shown, too.</span>}
      {left < 100 && <span class="small quiet" role="status">{counted(left, "letter")} left</span>}
    </form>
  );
}
