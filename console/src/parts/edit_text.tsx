// A small text that people edit: the editor, one button, the state as a sentence, and both texts where two saved.
import { type Keeper, type Kept, useDraft } from "./draft";
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

export function EditText({ name, label, kept, write, read, saved }: EditTextProps) {
  const draft = useDraft({ name, kept, write, read });
  const save = async (text?: string, theirs?: Kept) => {
    const undo = await draft.save(text, theirs);
    if (!undo) return;
    say("Saved.", () => undo().finally(saved));
    saved();
  };
  if (draft.conflict) {
    return <Merge key={draft.conflict.theirs.etag} mine={draft.text} conflict={draft.conflict} partsOf={sectionsOf} save={save} leave={draft.begin} />;
  }
  return (
    <>
      <div class="bar">
        <button type="button" class="main" disabled={!draft.isChanged || draft.isSaving} onClick={() => void save()}>Save</button>
        {draft.isChanged && <button type="button" onClick={() => draft.begin(draft.kept)}>Drop changes</button>}
        <p class="quiet state" role="status">{draft.isSaving ? "Saving…" : draft.isChanged ? "Not saved yet" : "Saved"}</p>
      </div>
      <div class="edited"><Editor label={label} text={draft.text} replaced={draft.replaced} change={draft.change} save={() => void save()} /></div>
    </>
  );
}
