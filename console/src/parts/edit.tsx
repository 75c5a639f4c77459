// How it is really: a correction is written over the page, since what it corrects may leave the list while somebody writes.
import { raw } from "../api/client";
import { ERASED } from "../api/events";
import { type ActionsProps, correct, LONGEST_EDIT, LONGEST_REASON } from "./correct";
import { Dialog } from "./dialog";
import { over } from "./late";
import { asProblem, useHappened } from "./load";
import { dropTyped, Left, useTyped } from "./typed";

const OF_TARGETS = {
  fact: "/v1/minds/{mind_id}/facts/{id}",
  entity: "/v1/minds/{mind_id}/entities/{id}",
  turn: "/v1/minds/{mind_id}/turns/{id}",
} as const;

export default function Edit({ mind, target, words = "", then }: ActionsProps) {
  const name = `edit ${mind} ${target.id} `;
  const [to, setTo] = useTyped(name, words);
  const [reason, setReason] = useTyped(`${name}why`);
  const close = () => {
    dropTyped(name);
    over.value = null;
  };
  useHappened([ERASED], () => {
    const path = { mind_id: mind, id: target.id ?? "" };
    raw("get", OF_TARGETS[target.kind], { path }).catch((error) => asProblem(error).status === 404 && close());
  });
  const save = async (event: SubmitEvent) => {
    event.preventDefault();
    if (await correct(mind, { what: "edit", target, to, reason: reason || null }, then)) close();
  };
  return (
    <Dialog title="How is it really?" close={close}>
      <form onSubmit={save}>
        <label>
          It is like this
          <textarea required value={to} onInput={(event) => setTo(event.currentTarget.value)} />
          <Left of={to} most={LONGEST_EDIT} />
        </label>
        <label>
          Why, for people who read it later
          <input value={reason} onInput={(event) => setReason(event.currentTarget.value)} />
          <Left of={reason} most={LONGEST_REASON} />
        </label>
        <div class="row">
          <button type="submit" class="main" disabled={!to.trim() || to === words || to.length > LONGEST_EDIT || reason.length > LONGEST_REASON}>Save</button>
          <button type="button" onClick={close}>Leave it</button>
        </div>
      </form>
    </Dialog>
  );
}
