// A heading is shown as it reads, "9 January 2026", and as it is written, "### [2026-01-09 18:30]", while the cursor is in it.
import type { EditorState, Range } from "@codemirror/state";
import { Decoration, type DecorationSet, type EditorView, ViewPlugin, type ViewUpdate, WidgetType } from "@codemirror/view";
import { readableTime } from "./heading_time";

const HEADING = /^(#{1,6})[ \t]+(?:\[([^\]]{1,60})\][ \t]*)?/;

class Time extends WidgetType {
  constructor(readonly words: string) {
    super();
  }
  override eq(other: Time): boolean {
    return other.words === this.words;
  }
  override toDOM(): HTMLElement {
    const place = document.createElement("span");
    place.className = "heading-time";
    const apart = document.createElement("bdi"); // the words of the heading say how its line runs
    apart.textContent = this.words;
    place.append(apart);
    return place;
  }
}

export const headings = ViewPlugin.fromClass(
  class {
    found: DecorationSet;
    constructor(view: EditorView) {
      this.found = headingsIn(view);
    }
    update(update: ViewUpdate): void {
      if (update.docChanged || update.viewportChanged || update.selectionSet || update.focusChanged) {
        this.found = headingsIn(update.view);
      }
    }
  },
  { decorations: (plugin) => plugin.found },
);

function headingsIn(view: EditorView): DecorationSet {
  const all: Range<Decoration>[] = [];
  for (const { from, to } of view.visibleRanges) {
    for (let place = from; place <= to; ) {
      const line = view.state.doc.lineAt(place);
      const found = HEADING.exec(line.text);
      if (found) all.push(...decorationsOf(found, line.from, view.hasFocus && isIn(view.state, line)));
      place = line.to + 1;
    }
  }
  return Decoration.set(all, true);
}

const isIn = (state: EditorState, line: { from: number; to: number }): boolean =>
  state.selection.ranges.some((one) => one.from <= line.to && one.to >= line.from);

function decorationsOf([written = "", hashes = "", time = ""]: RegExpExecArray, at: number, isOpen: boolean): Range<Decoration>[] {
  const line = Decoration.line({ class: `heading is-${hashes.length}` }).range(at);
  if (isOpen) return [line];
  const replaced = time ? Decoration.replace({ widget: new Time(readableTime(time)) }) : Decoration.replace({});
  return [line, replaced.range(at, at + written.length)];
}
