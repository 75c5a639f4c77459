// Marked places of a text: they move with it, and go away where it is changed.
import { type EditorState, StateEffect, StateField, type Transaction } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView } from "@codemirror/view";

/** A place from and to, the kind that says how it looks, and a name to find it by. */
export interface Mark {
  from: number;
  to: number;
  kind: string;
  name: string;
}

export const setMarks = StateEffect.define<readonly Mark[]>();
export const chooseMark = StateEffect.define<string | null>();

const placed = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update: (found, transaction) => {
    const set = transaction.effects.find((one) => one.is(setMarks));
    if (set) return Decoration.set(set.value.map(asDecoration), true);
    return transaction.docChanged ? untouched(found, transaction).map(transaction.changes) : found;
  },
  provide: (field) => EditorView.decorations.from(field),
});

const chosen = StateField.define<string | null>({
  create: () => null,
  update: (name, transaction) => transaction.effects.reduce((now, one) => (one.is(chooseMark) ? one.value : now), name),
});

const shown = EditorView.decorations.compute([placed, chosen], (state) => {
  const name = state.field(chosen);
  const found = each(state).find((one) => one.name === name);
  return found ? Decoration.set(Decoration.mark({ class: "is-chosen" }).range(found.from, found.to)) : Decoration.none;
});

export const marks = [placed, chosen, shown];

/** The name of the mark at a place, null where there is none. */
export const markAt = (state: EditorState, place: number): string | null =>
  each(state).find((one) => one.from <= place && place <= one.to)?.name ?? null;

const asDecoration = ({ from, to, kind, name }: Mark) =>
  Decoration.mark({ class: `mark-${kind}`, name }).range(from, to);

function untouched(found: DecorationSet, { changes }: Transaction): DecorationSet {
  return found.update({ filter: (from, to) => !changes.touchesRange(from, to) });
}

function each(state: EditorState): { from: number; to: number; name: string }[] {
  const all: { from: number; to: number; name: string }[] = [];
  for (const at = state.field(placed).iter(); at.value; at.next()) {
    all.push({ from: at.from, to: at.to, name: String(at.value.spec.name) });
  }
  return all;
}
