import { correct, LONGEST_EDIT, LONGEST_REASON } from "../../parts/correct";
import { Dialog } from "../../parts/dialog";
import { over } from "../../parts/late";
import { dropTyped, Left, useTyped } from "../../parts/typed";

/** Tells the memory something that nobody said in a conversation. */
export function SaySomething({ mind }: { mind: string }) {
  return <button type="button" onClick={() => (over.value = <Say mind={mind} />)}>Say something new</button>;
}

function Say({ mind }: { mind: string }) {
  const name = `say ${mind} `;
  const [words, setWords] = useTyped(name);
  const [reason, setReason] = useTyped(`${name}why`);
  const close = () => {
    dropTyped(name);
    over.value = null;
  };
  const save = async (event: SubmitEvent) => {
    event.preventDefault();
    if (await correct(mind, { what: "say", to: words, reason: reason || null })) close();
  };
  return (
    <Dialog title="What should it know?" close={close}>
      <form onSubmit={save}>
        <label>
          It is so
          <textarea required value={words} onInput={(event) => setWords(event.currentTarget.value)} />
          <Left of={words} most={LONGEST_EDIT} />
        </label>
        <label>
          Why, for people who read it later
          <input value={reason} onInput={(event) => setReason(event.currentTarget.value)} />
          <Left of={reason} most={LONGEST_REASON} />
        </label>
        <div class="row">
          <button type="submit" class="main" disabled={!words.trim() || words.length > LONGEST_EDIT || reason.length > LONGEST_REASON}>Say it</button>
          <button type="button" onClick={close}>Leave it</button>
        </div>
      </form>
    </Dialog>
  );
}
