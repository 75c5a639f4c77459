// Every message that holds the words, newest first, with what was said around it.
import { useState } from "preact/hooks";
import { get, type Schemas } from "../../api/client";
import { Wait } from "../../parts/load";
import { More, usePaged } from "../../parts/paged";
import { When } from "../../parts/time";
import { PutRight } from "../../parts/why/put_right";
import { to } from "../../router";

type Found = Schemas["LogItem"];
type Line = Schemas["LogLineOut"];

const LARGEST_PAGE = 20;

export function WordForWord({ mind, question, times }: { mind: string; question: string; times: number }) {
  const [words, setWords] = useState(question);
  const [asked, setAsked] = useState(question);
  if (asked !== question) {
    setAsked(question);
    setWords(question);
  }
  const log = usePaged<Found>(
    async ({ limit, cursor }) => {
      if (!words.trim()) return { items: [], next_cursor: null };
      const query = { query: words, limit: Math.min(limit, LARGEST_PAGE), ...(cursor ? { cursor } : {}) };
      return get("/v1/minds/{mind_id}/log", { path: { mind_id: mind }, query });
    },
    [mind, words, times],
  );
  return (
    <section aria-labelledby="word-for-word">
      <h2 id="word-for-word">Word for word</h2>
      <label>
        Exact words
        <input type="search" maxLength={2000} value={words} onInput={(event) => setWords(event.currentTarget.value)} />
      </label>
      <Wait of={log}>
        {(items) =>
          items.length ? (
            <ul class="list">{items.map((one) => <Item key={`${one.turn_id} ${one.role}`} mind={mind} of={one} words={words} />)}</ul>
          ) : (
            <Nothing words={words} choose={setWords} />
          )
        }
      </Wait>
      <More of={log} one="message" />
    </section>
  );
}

const LEAST_LETTERS = 3;
const MOST_WORDS = 8;
const OF_QUESTIONS = new Set(["what", "when", "where", "which", "whose", "does", "have", "that", "this", "with", "about", "from", "there", "were"]);

/** Nobody says a question word for word: each of its words may have been said. */
function Nothing({ words, choose }: { words: string; choose: (word: string) => void }) {
  const single = [...new Set(words.match(/[\p{L}\p{N}][\p{L}\p{N}'’-]*/gu) ?? [])];
  const offered = single.filter((one) => one.length > LEAST_LETTERS && !OF_QUESTIONS.has(one.toLowerCase()) && one !== words.trim()).sort((a, b) => b.length - a.length).slice(0, MOST_WORDS);
  return (
    <>
      <p class="quiet" role="status">Nobody said exactly this.{offered.length > 0 && " Who said one of its words?"}</p>
      <div class="actions">{offered.map((one) => <button key={one} type="button" onClick={() => choose(one)}>{one}</button>)}</div>
    </>
  );
}

function Item({ mind, of, words }: { mind: string; of: Found; words: string }) {
  return (
    <li>
      {of.before.map((line, at) => <Around key={at} of={line} />)}
      <p>
        <Speaker of={of} /> <bdi class="said"><Marked text={of.text} words={words} /></bdi>
      </p>
      {of.after.map((line, at) => <Around key={at} of={line} />)}
      <p class="small">
        <a href={to(mind, "replay", of.session_id, { turn: of.turn_id })}><When at={of.at} as="moment" /></a>{" "}
        <span class="quiet">{of.age}</span>
      </p>
      <div class="actions"><PutRight mind={mind} id={`episode:${of.sequence}`} /></div>
    </li>
  );
}

const Around = ({ of }: { of: Line }) => <p class="small quiet"><Speaker of={of} /> <bdi>{of.text}</bdi></p>;

const Speaker = ({ of }: { of: Line | Found }) => <b class="small"><bdi>{of.name || of.role}</bdi>:</b>;

function Marked({ text, words }: { text: string; words: string }) {
  const at = text.toLowerCase().indexOf(words.toLowerCase());
  if (at < 0 || !words) return <>{text}</>;
  const end = at + words.length;
  return <>{text.slice(0, at)}<mark class="mark">{text.slice(at, end)}</mark>{text.slice(end)}</>;
}
