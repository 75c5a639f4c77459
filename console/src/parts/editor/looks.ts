// How a text looks in the editor. The colours are the page's: they reach into the shadow root.
import { HighlightStyle } from "@codemirror/language";
import { EditorView } from "@codemirror/view";
import { tags } from "@lezer/highlight";

const underline = (how: string) => ({ textDecoration: `underline ${how}`, textUnderlineOffset: "4px", cursor: "pointer" });

export const looks = EditorView.theme({
  "&": { backgroundColor: "transparent", color: "var(--ink)", fontSize: "1.06rem" },
  "&.cm-focused": { outline: "1px solid var(--soft)", outlineOffset: "10px", borderRadius: "3px" },
  ".cm-scroller": { fontFamily: "var(--serif)", lineHeight: "1.7", overflowX: "hidden" },
  ".cm-content": { caretColor: "var(--accent)", padding: "0", overflowWrap: "anywhere" },
  ".cm-line": { padding: "0" },
  ".cm-cursor": { borderLeftColor: "var(--accent)", borderLeftWidth: "2px" },
  "&.cm-focused .cm-selectionBackground, .cm-selectionBackground": { backgroundColor: "var(--accent-soft) !important" },
  ".cm-placeholder": { color: "var(--soft)" },
  ".heading": { fontWeight: "600", lineHeight: "1.35", paddingTop: ".2em !important" },
  ".heading.is-1": { fontSize: "1.45em" },
  ".heading.is-2": { fontSize: "1.3em" },
  ".heading.is-3": { fontSize: "1.22em" },
  ".heading:first-child": { paddingTop: "0 !important" },
  ".heading-time": { display: "block", font: "500 .82rem/1.6 var(--sans)", color: "var(--soft)", letterSpacing: ".01em" },
  ".mark-carried, .mark-quoted": underline("1px var(--line)"),
  ".mark-partly": underline("2px dotted var(--partly)"),
  ".mark-in_no_turn": underline("2px wavy var(--partly)"),
  ".mark-a_persons": { backgroundColor: "var(--accent-soft)", cursor: "pointer" },
  ".mark-carried:hover, .mark-quoted:hover": { textDecorationColor: "var(--soft)" },
  ".is-chosen": { backgroundColor: "var(--accent-soft)", boxShadow: "0 0 0 3px var(--accent-soft)", borderRadius: "2px" },
  "&.cm-merge-b .cm-changedLine, .cm-inlineChangedLine": { backgroundColor: "transparent" },
  "&.cm-merge-b .cm-changedText": { background: "var(--accent-soft)", textDecoration: "underline 2px var(--new)" },
  ".cm-deletedChunk": { backgroundColor: "transparent", paddingLeft: "0", color: "var(--soft)" },
  ".cm-deletedChunk del, .cm-deletedChunk .cm-deletedText, .cm-deletedLine, &.cm-merge-b .cm-deletedText": { background: "none", textDecoration: "line-through" },
});

export const colours = HighlightStyle.define([
  { tag: tags.strong, fontWeight: "700" },
  { tag: tags.emphasis, fontStyle: "italic" },
  { tag: tags.monospace, fontFamily: "var(--mono)", fontSize: ".9em" },
  { tag: [tags.processingInstruction, tags.url, tags.comment], color: "var(--soft)" },
  { tag: tags.link, color: "var(--accent)" },
]);
