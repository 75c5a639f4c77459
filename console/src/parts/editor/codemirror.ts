// CodeMirror in a shadow root, where its styles need no nonce. Loaded with the first text that is edited.
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { defineLanguageFacet, Language, LanguageSupport, syntaxHighlighting } from "@codemirror/language";
import { presentableDiff, unifiedMergeView } from "@codemirror/merge";
import { Compartment, EditorState, type Extension, Transaction } from "@codemirror/state";
import { drawSelection, EditorView, keymap, placeholder } from "@codemirror/view";
import { parser } from "@lezer/markdown";
import { directions } from "./directions";
import { headings } from "./headings";
import { colours, looks } from "./looks";
import { chooseMark, type Mark, markAt, marks, setMarks } from "./marks";

export type { Mark };

/** What the editor is for, and whom it tells. */
export interface Wishes {
  label: string;
  text: string;
  hint: string;
  changed: (text: string) => void;
  /** A marked place was clicked, or asked for with Alt+Enter; null beside all marks. */
  chosen: (name: string | null, isByKey: boolean) => void;
  save: () => void;
}

/** An editor on the page. Places are counted as JavaScript counts characters. */
export interface Mounted {
  text: () => string;
  replace: (text: string) => void;
  mark: (all: readonly Mark[]) => void;
  choose: (name: string | null) => void;
  /** Show what changed since *original*; null ends that. */
  compare: (original: string | null) => void;
  reveal: (place: number) => void;
  focus: () => void;
  destroy: () => void;
}

const markdown = new LanguageSupport(new Language(defineLanguageFacet({}), parser, [], "markdown"));

export function mount(host: HTMLElement, wishes: Wishes): Mounted {
  const root = host.shadowRoot ?? host.attachShadow({ mode: "open" });
  const comparison = new Compartment();
  const view = new EditorView({
    parent: root,
    root,
    state: EditorState.create({ doc: wishes.text, extensions: [comparison.of([]), ...extensionsOf(wishes)] }),
  });
  return {
    text: () => view.state.doc.toString(),
    replace: (text) =>
      view.dispatch({
        changes: { from: 0, to: view.state.doc.length, insert: text },
        annotations: Transaction.addToHistory.of(false),
      }),
    mark: (all) => view.dispatch({ effects: setMarks.of(all.filter((one) => one.to <= view.state.doc.length)) }),
    choose: (name) => view.dispatch({ effects: chooseMark.of(name) }),
    compare: (original) => view.dispatch({ effects: comparison.reconfigure(comparedWith(original)) }),
    reveal: (place) => view.dispatch({ effects: EditorView.scrollIntoView(Math.min(place, view.state.doc.length), { y: "start", yMargin: 24 }) }),
    focus: () => view.focus(),
    destroy: () => view.destroy(),
  };
}

/** The places in *after* that are not in *before*, from and to. */
export const changedPlaces = (before: string, after: string): readonly (readonly [number, number])[] =>
  presentableDiff(before, after, { scanLimit: 2000 }).map((one) => [one.fromB, one.toB] as const);

const comparedWith = (original: string | null): Extension =>
  original === null ? [] : [unifiedMergeView({ original, mergeControls: false, gutter: false }), EditorState.readOnly.of(true)];

function extensionsOf({ label, hint, changed, chosen, save }: Wishes): Extension[] {
  const ask = (view: EditorView) => {
    chosen(markAt(view.state, view.state.selection.main.head), true);
    return true;
  };
  const keep = () => {
    save();
    return true;
  };
  return [
    history(),
    drawSelection(),
    markdown,
    syntaxHighlighting(colours),
    looks,
    headings,
    marks,
    EditorView.lineWrapping,
    directions,
    placeholder(hint),
    keymap.of([{ key: "Alt-Enter", run: ask }, { key: "Mod-s", run: keep, preventDefault: true }, ...defaultKeymap, ...historyKeymap]),
    EditorView.contentAttributes.of({ "aria-label": label, spellcheck: "true" }),
    EditorView.updateListener.of((update) => {
      if (update.docChanged) changed(update.state.doc.toString());
      if (update.transactions.some((one) => one.isUserEvent("select.pointer"))) {
        chosen(markAt(update.state, update.state.selection.main.head), false);
      }
    }),
  ];
}
