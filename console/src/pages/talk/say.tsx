import { useState } from "preact/hooks";

interface SayProps {
  isBusy: boolean;
  isOffRecord: boolean;
  /** A model answers. */
  isAnswered: boolean;
  switchRecord: (isOff: boolean) => void;
  say: (words: string) => void;
}

/** Where a person writes. Enter says it; Shift and Enter begin a new line. */
export function Say({ isBusy, isOffRecord, isAnswered, switchRecord, say }: SayProps) {
  const [words, setWords] = useState("");
  const send = () => {
    if (isBusy || !words.trim()) return;
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
        <textarea maxLength={20_000} value={words} onKeyDown={byKey} onInput={(event) => setWords(event.currentTarget.value)} />
      </label>
      <div class="row">
        <button type="submit" class="main" disabled={isBusy || !words.trim()}>{isBusy ? "Waiting…" : "Say it"}</button>
        <label class="switch">
          <input type="checkbox" checked={isOffRecord} onChange={(event) => switchRecord(event.currentTarget.checked)} />
          Off the record
        </label>
        {isOffRecord && <span class="small quiet" role="status">Off the record: {meaning}.</span>}
      </div>
    </form>
  );
}
