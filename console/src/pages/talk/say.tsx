import { Left, useTyped } from "../../parts/typed";

const LONGEST = 20_000;

interface SayProps {
  mind: string;
  isBusy: boolean;
  /** It is known whether a model answers. */
  canBeHeard: boolean;
  isOffRecord: boolean;
  /** A model answers. */
  isAnswered: boolean;
  switchRecord: (isOff: boolean) => void;
  say: (words: string) => void;
}

/** Where a person writes. Enter says it; Shift and Enter begin a new line. */
export function Say({ mind, isBusy, canBeHeard, isOffRecord, isAnswered, switchRecord, say }: SayProps) {
  const [words, setWords] = useTyped(`talk ${mind}`);
  const canSend = !isBusy && canBeHeard && words.trim() !== "" && words.length <= LONGEST;
  const send = () => {
    if (!canSend) return;
    say(words.trim());
    setWords("");
  };
  const byKey = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    send();
  };
  const meaning = isAnswered ? "memory is neither asked nor written" : "nothing is kept; you still see what would come to mind";
  return (
    <form
      class="say"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <label>
        Your message
        <textarea value={words} onKeyDown={byKey} onInput={(event) => setWords(event.currentTarget.value)} />
        <Left of={words} most={LONGEST} />
      </label>
      <div class="row">
        <button type="submit" class="main" disabled={!canSend}>{isBusy ? "Waiting…" : "Say it"}</button>
        <label class="switch">
          <input type="checkbox" checked={isOffRecord} onChange={(event) => switchRecord(event.currentTarget.checked)} />
          Off the record
        </label>
        {isOffRecord && <span class="small quiet" role="status">Off the record: {meaning}.</span>}
      </div>
    </form>
  );
}
