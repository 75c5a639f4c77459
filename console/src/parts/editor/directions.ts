// Each line runs in the direction of its own words: Arabic and Hebrew from the right, beside a line that runs from the left.
import type { Extension, Range } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView, ViewPlugin, type ViewUpdate } from "@codemirror/view";

const byItsWords = Decoration.line({ attributes: { dir: "auto" } });

export const directions: Extension = [
  EditorView.perLineTextDirection.of(true),
  ViewPlugin.fromClass(
    class {
      found: DecorationSet;
      constructor(view: EditorView) {
        this.found = linesOf(view);
      }
      update(update: ViewUpdate): void {
        if (update.docChanged || update.viewportChanged) this.found = linesOf(update.view);
      }
    },
    { decorations: (plugin) => plugin.found },
  ),
];

function linesOf(view: EditorView): DecorationSet {
  const all: Range<Decoration>[] = [];
  for (const { from, to } of view.visibleRanges) {
    for (let place = from; place <= to; ) {
      const line = view.state.doc.lineAt(place);
      all.push(byItsWords.range(line.from));
      place = line.to + 1;
    }
  }
  return Decoration.set(all, true);
}
