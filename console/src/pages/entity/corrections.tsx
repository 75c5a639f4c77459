// What can be put right about a name: call it otherwise, say that two are one, say that one is two.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { correct, type What } from "../../parts/correct";
import { Dialog } from "../../parts/dialog";
import type { Entity } from "../entity";
import { Merge } from "./merge";
import { Split } from "./split";

export interface DialogProps {
  mind: string;
  entity: Entity;
  close: () => void;
  again: () => void;
}

const DIALOGS = [
  ["rename", "Rename", Rename],
  ["merge", "Merge with…", Merge],
  ["split", "Split", Split],
] as const;

export function EntityCorrections({ mind, entity, again }: Omit<DialogProps, "close">) {
  const [open, setOpen] = useState<What | null>(null);
  const close = () => setOpen(null);
  const found = DIALOGS.find(([what]) => what === open);
  const Shown = found?.[2];
  return (
    <div class="actions">
      {DIALOGS.map(([what, name]) => <button key={what} type="button" onClick={() => setOpen(what)}>{name}</button>)}
      {Shown && <Shown mind={mind} entity={entity} again={again} close={close} />}
    </div>
  );
}

function Rename({ mind, entity, close, again }: DialogProps) {
  const [name, setName] = useState(entity.called || entity.name);
  const save = () => correct(mind, { what: "rename", target: { kind: "entity", id: entity.id, turn_ids: [] }, to: name.trim() }, again);
  return (
    <Asked title="What is it called?" verb="Rename" isReady={Boolean(name.trim()) && name.trim() !== entity.called} save={save} close={close}>
      <p class="quiet">The old name still finds it.</p>
      <label>
        Name
        <input required maxLength={2000} value={name} onInput={(event) => setName(event.currentTarget.value)} />
      </label>
    </Asked>
  );
}

interface AskedProps {
  title: string;
  verb: string;
  isReady: boolean;
  /** True when it was done. */
  save: () => Promise<boolean>;
  close: () => void;
  children: ComponentChildren;
}

/** A form over the page that makes one correction. */
export function Asked({ title, verb, isReady, save, close, children }: AskedProps) {
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    if (await save()) close();
  };
  return (
    <Dialog title={title} close={close}>
      <form onSubmit={submit}>
        {children}
        <div class="row">
          <button type="submit" class="main" disabled={!isReady}>{verb}</button>
          <button type="button" onClick={close}>Leave it</button>
        </div>
      </form>
    </Dialog>
  );
}
