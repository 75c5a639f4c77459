import { useState } from "preact/hooks";
import { correct } from "../../parts/correct";
import { Dialog } from "../../parts/dialog";

/** Tells the memory something that nobody said in a conversation. */
export function SaySomething({ mind }: { mind: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>Say something new</button>
      {isOpen && <Say mind={mind} close={() => setOpen(false)} />}
    </>
  );
}

function Say({ mind, close }: { mind: string; close: () => void }) {
  const [words, setWords] = useState("");
  const [reason, setReason] = useState("");
  const save = async (event: SubmitEvent) => {
    event.preventDefault();
    if (await correct(mind, { what: "say", to: words, reason: reason || null })) close();
  };
  return (
    <Dialog title="What should it know?" close={close}>
      <form onSubmit={save}>
        <label>
          It is so
          <textarea required maxLength={2000} value={words} onInput={(event) => setWords(event.currentTarget.value)} />
        </label>
        <label>
          Why, for people who read it later
          <input maxLength={1000} value={reason} onInput={(event) => setReason(event.currentTarget.value)} />
        </label>
        <div class="row">
          <button type="submit" class="main" disabled={!words.trim()}>Say it</button>
          <button type="button" onClick={close}>Leave it</button>
        </div>
      </form>
    </Dialog>
  );
}
