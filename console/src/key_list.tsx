import { keysOn, switchKeys } from "./keys";
import { LISTED } from "./pages";
import { Dialog } from "./parts/dialog";

const OTHERS: readonly [string, string][] = [
  ["/", "ask, or find"],
  ["m", "all minds"],
  ["j k", "next, previous"],
  ["Enter", "open"],
  ["w", "why"],
  ["e", "edit"],
  ["u", "undo"],
  ["Esc", "back"],
  ["?", "this list"],
];

export function KeyList({ close }: { close: () => void }) {
  return (
    <Dialog title="Keys" close={close}>
      <dl class="keys">
        {LISTED.map((page) => <Row key={page.key} name={`g ${page.key}`} does={page.name} />)}
        {OTHERS.map(([name, does]) => <Row key={name} name={name} does={does} />)}
      </dl>
      <label class="switch">
        <input type="checkbox" checked={keysOn.value} onChange={(event) => switchKeys(event.currentTarget.checked)} />
        One-letter keys
      </label>
      <form method="dialog"><button type="submit">Close</button></form>
    </Dialog>
  );
}

function Row({ name, does }: { name: string; does: string }) {
  return (
    <>
      <dt>{name.split(" ").map((one) => <kbd key={one}>{one}</kbd>)}</dt>
      <dd>{does}</dd>
    </>
  );
}
