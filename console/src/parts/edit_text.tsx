// A small text that people edit: the editor, one button, the state as a sentence, and both texts where two saved.
import { signal } from "@preact/signals";
import { asProblem } from "./load";
import { type Keeper, type Kept, notSaved, useDraft } from "./draft";
import { Editor } from "./editor";
import { Merge } from "./merge";
import { sectionsOf } from "./sections";
import { say } from "./toast";

interface EditTextProps extends Keeper {
  /** Names the text among all that are edited. */
  name: string;
  label: string;
  kept: Kept;
  saved: () => void;
}

/** What somebody else had saved, and was replaced in this tab; no version of a file is kept elsewhere. */
interface Replaced {
  text: string;
  bringBack: () => Promise<void>;
}

const replaced = signal<Readonly<Record<string, Replaced>>>({});

const setReplaced = (name: string, now?: Replaced): void => {
  const { [name]: _, ...others } = replaced.value;
  replaced.value = now ? { ...others, [name]: now } : others;
};

export function EditText({ name, label, kept, write, read, saved }: EditTextProps) {
  const draft = useDraft({ name, kept, write, read });
  const save = async (text?: string, theirs?: Kept) => {
    const undo = await draft.save(text, theirs);
    if (!undo) return;
    const bringBack = () => undo().then(() => setReplaced(name)).finally(saved);
    if (theirs && text !== theirs.text) setReplaced(name, { text: theirs.text, bringBack });
    say("Saved.", bringBack);
    saved();
  };
  if (draft.conflict) {
    return (
      <Merge
        key={draft.conflict.theirs.etag}
        mine={draft.text}
        conflict={draft.conflict}
        partsOf={sectionsOf}
        save={save}
        leave={draft.begin}
        afterwards="No earlier version of a file is kept: what you replace can be brought back until this tab is closed."
      />
    );
  }
  return (
    <>
      <div class="bar">
        <button type="button" class="main" disabled={!draft.isChanged || draft.isSaving} onClick={() => void save()}>Save</button>
        {draft.isChanged && <button type="button" onClick={() => draft.begin(kept)}>Drop changes</button>}
        <p class="quiet state" role="status">{draft.isSaving ? "Saving…" : draft.isChanged ? notSaved(kept.text !== draft.kept.text) : "Saved"}</p>
      </div>
      <BeforeMine of={replaced.value[name]} leave={() => setReplaced(name)} />
      <div class="edited"><Editor label={label} text={draft.text} replaced={draft.replaced} change={draft.change} save={() => void save()} /></div>
    </>
  );
}

/** What was replaced, to read, to copy and to bring back: longer than what says that it was saved. */
function BeforeMine({ of, leave }: { of: Replaced | undefined; leave: () => void }) {
  if (!of) return null;
  const bringBack = () => of.bringBack().then(() => say("It is as they had saved it."), (error) => say(asProblem(error).detail));
  return (
    <details>
      <summary>What somebody else had saved, before you saved yours</summary>
      <p class="said snippet">{of.text}</p>
      <div class="row">
        <button type="button" onClick={() => void bringBack()}>Bring it back</button>
        <button type="button" onClick={leave}>Not needed any more</button>
      </div>
      <p class="quiet small">It is shown until this tab is closed, and kept nowhere else.</p>
    </details>
  );
}
