// A text to read and to edit: the story, a file of the journal, observations. What it is made with is loaded late.
import type { RefObject } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Mark, Mounted } from "./editor/codemirror";
import { useScript } from "./late";
import { Trouble } from "./load";

export type { Mark, Mounted };

interface EditorProps {
  /** What it is, to people who can not see it. */
  label: string;
  /** Shown where the text is empty. */
  hint?: string;
  text: string;
  /** One more whenever *text* is another one without having been typed: only then the editor takes it over. */
  replaced: number;
  change: (text: string) => void;
  save: () => void;
  marks?: readonly Mark[];
  chosen?: string | null;
  choose?: (name: string | null, isByKey: boolean) => void;
  /** An earlier text: the page shows what changed since, and nothing is edited meanwhile. */
  original?: string | null;
  /** Where to put the editor, for who moves in it. */
  mounted?: RefObject<Mounted | null>;
  ready?: () => void;
}

const NO_MARKS: readonly Mark[] = [];

const loadEditor = () => import("./editor/codemirror");

export function Editor(props: EditorProps) {
  const { text, replaced, marks = NO_MARKS, chosen = null, original = null } = props;
  const place = useRef<HTMLDivElement>(null);
  const [editor, setEditor] = useState<Mounted | null>(null);
  const script = useScript(loadEditor);
  const latest = useRef(props);
  latest.current = props;
  useEffect(() => {
    if (!script.value || !place.current) return;
    const made = script.value.mount(place.current, wishesOf(latest));
    if (latest.current.mounted) latest.current.mounted.current = made;
    setEditor(made);
    latest.current.ready?.();
    return () => {
      made.destroy();
      if (latest.current.mounted) latest.current.mounted.current = null;
    };
  }, [script.value]);
  useEffect(() => {
    if (!editor || editor.text() === text) return;
    editor.replace(text);
    editor.mark(marks);
  }, [editor, replaced]);
  useEffect(() => editor?.mark(marks), [editor, marks]);
  useEffect(() => editor?.choose(chosen), [editor, chosen]);
  useEffect(() => editor?.compare(original), [editor, original]);
  return (
    <>
      {!editor && <div class="before-editor">{text}</div>}
      {script.problem && <Trouble problem={script.problem} again={script.again} />}
      <div ref={place} class="editor" />
    </>
  );
}

const wishesOf = (latest: RefObject<EditorProps>) => {
  const now = () => latest.current as EditorProps;
  return {
    label: now().label,
    text: now().text,
    hint: now().hint ?? "",
    changed: (text: string) => now().change(text),
    chosen: (name: string | null, isByKey: boolean) => now().choose?.(name, isByKey),
    save: () => now().save(),
  };
};
