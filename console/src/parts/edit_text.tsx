// A small text that people edit: the editor, one button, the state as a sentence, and both texts where two saved.
import { type Kept, useDraft } from "./draft";
import { Editor } from "./editor";
import { Merge } from "./merge";
import { sectionsOf } from "./sections";
import { say } from "./toast";

interface EditTextProps {
  /** Names the text among all that are edited. */
  name: string;
  label: string;
  kept: Kept;
  write: (text: string, etag: string) => Promise<Kept>;
  read: () => Promise<Kept>;
  saved: () => void;
}

export function EditText({ name, label, kept, write, read, saved }: EditTextProps) {
  const draft = useDraft({ name, kept, write, read });
  const save = async (text?: string, theirs?: Kept) => {
    const before = draft.kept.text;
    if (!(await draft.save(text, theirs))) return;
    say("Saved.", async () => {
      const now = await read();
      await write(before, now.etag);
      saved();
    });
    saved();
  };
  if (draft.conflict) {
    return <Merge mine={draft.text} conflict={draft.conflict} partsOf={sectionsOf} save={save} leave={draft.begin} />;
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
