// The story as people read it: without the two comments that say how far it is told, and saved as it was.
import { get, put, type Schemas } from "../../api/client";
import type { Keeper, Kept } from "../../parts/draft";

type Told = Schemas["StoryTold"];

const STORY = "/v1/minds/{mind_id}/story";
const MARKS = /^[ \t]{0,8}<!-- {0,4}(?:CURSOR: {0,4}v1 seq=\d{1,15} for=|LAST_PROCESSED: {0,4})[0-9TZ:.+-]{1,40} {0,4}-->[ \t]{0,8}\r?\n?/gm;

export interface Shown {
  text: string;
  /** Where a character of the service's text, counted in code points, is in this one. */
  placeOf: (codePoint: number) => number;
}

export function shownOf(story: string): Shown {
  const hidden = [...story.matchAll(MARKS)].map((one) => ({ from: one.index, to: one.index + one[0].length }));
  const places: number[] = [];
  let text = "";
  let at = 0;
  for (const character of story) {
    places.push(text.length);
    const from = at;
    const isHidden = hidden.some((one) => one.from <= from && from < one.to);
    const isHalf = character === "\r" && story[at + 1] === "\n";
    if (!isHidden && !isHalf) text += character === "\r" ? "\n" : character;
    at += character.length;
  }
  return { text, placeOf: (codePoint) => places[codePoint] ?? text.length };
}

/** A text with the line ends of the story that it replaces. */
const writtenFor = (story: string, text: string): string =>
  /\r\n/.test(story) ? text.replaceAll("\n", "\r\n") : text;

export const readStory = (mind: string): Promise<Told> => get(STORY, { path: { mind_id: mind } });

export const keptOf = (story: Told): Kept => ({ text: shownOf(story.text).text, etag: story.etag });

/** Reads and writes the story of a mind, with the line ends of *story*. */
export const keeperOf = (mind: string, story: Told): Keeper => ({
  read: async () => keptOf(await readStory(mind)),
  write: async (text, etag) => {
    const body = { text: writtenFor(story.text, text) };
    return keptOf(await put(STORY, { path: { mind_id: mind }, body, headers: { "If-Match": etag } }));
  },
});
