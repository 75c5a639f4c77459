// A text in parts, cut at its headings: a story at the dated ones, another file at each.
const HEADING = /^###[ \t]+\[(\d{4}-\d\d-\d\d(?: \d\d:\d\d)?(?:[ \t]*(?:–|—|-|to)[ \t]*\d{4}-\d\d-\d\d(?: \d\d:\d\d)?)?)\][ \t]*(.*)$/gm;

/** A part of a text that begins at a heading; the heading of what stands before the first one is empty. */
export interface Part {
  heading: string;
  time: string;
  title: string;
  from: number;
  text: string;
}

export const chaptersOf = (text: string): readonly Part[] => partsAt(text, [...text.matchAll(HEADING)]);

/** The parts of another Markdown file: each line of # begins one. */
export const sectionsOf = (text: string): readonly Part[] => partsAt(text, [...text.matchAll(/^#{1,6}[ \t]+()(.*)$/gm)]);

function partsAt(text: string, found: readonly RegExpMatchArray[]): readonly Part[] {
  const first = found[0]?.index ?? text.length;
  const opening = first > 0 ? [{ heading: "", time: "", title: "", from: 0, text: text.slice(0, first) }] : [];
  const parts = found.map((one, at) => ({
    heading: one[0].trim(),
    time: one[1] ?? "",
    title: (one[2] ?? "").trim(),
    from: one.index ?? 0,
    text: text.slice(one.index, found[at + 1]?.index),
  }));
  return [...opening, ...parts];
}
