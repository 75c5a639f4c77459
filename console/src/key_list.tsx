// The keys of the page that is open, and the switch that turns one-letter keys off.
import { useState } from "preact/hooks";
import { keysHere, keysOn, switchKeys } from "./keys";
import { Dialog } from "./parts/dialog";

export default function KeyList({ close }: { close: () => void }) {
  const [here] = useState(keysHere);
  const isGoing = ([name]: readonly [string, string]) => name.startsWith("g ");
  return (
    <Dialog title="Keys of this page" close={close}>
      {!keysOn.value && <p class="quiet">One-letter keys are switched off: none of these does anything but Enter and Esc.</p>}
      <dl class="keys">{here.filter((one) => !isGoing(one)).map(([name, does]) => <Row key={name} name={name} does={does} />)}</dl>
      {here.some(isGoing) && <h3>To another page</h3>}
      <dl class="keys">{here.filter(isGoing).map(([name, does]) => <Row key={name} name={name} does={does} />)}</dl>
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
