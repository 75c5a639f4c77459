// Where the sentences of the story come from, chapter after chapter as the service finds it.
import { useCallback, useEffect, useState } from "preact/hooks";
import { get, type Problem, type Schemas } from "../../api/client";
import type { Mark } from "../../parts/editor";
import { asProblem } from "../../parts/load";
import { shownOf } from "./text";

export type Sentence = Schemas["SentenceOut"];
export type State = Sentence["state"];

export interface Sourced {
  /** Sentences by the names of their marks. */
  sentences: ReadonlyMap<string, Sentence>;
  marks: readonly Mark[];
  isWhole: boolean;
  /** Why the rest could not be found. */
  problem?: Problem;
}

const NOTHING: Sourced = { sentences: new Map(), marks: [], isWhole: false };
const CHAPTERS = 20;

export function useSentences(mind: string, story: Schemas["StoryTold"]): Sourced & { again: () => void } {
  const [found, setFound] = useState(NOTHING);
  const [times, setTimes] = useState(0);
  const again = useCallback(() => setTimes((now) => now + 1), []);
  useEffect(() => {
    const gone = new AbortController();
    setFound(NOTHING);
    const refused = (error: unknown) => !gone.signal.aborted && setFound((now) => ({ ...now, problem: asProblem(error) }));
    void readAll(mind, story, gone.signal, setFound).catch(refused);
    return () => gone.abort();
  }, [mind, story.etag, times]);
  return { ...found, again };
}

async function readAll(
  mind: string,
  { etag, text }: Schemas["StoryTold"],
  abort: AbortSignal,
  tell: (found: Sourced) => void,
): Promise<void> {
  const { placeOf } = shownOf(text);
  let found = NOTHING;
  for (let after: number | null = 0; after !== null; ) {
    const query = { after, limit: CHAPTERS };
    const page: Schemas["SourcesOut"] = await get("/v1/minds/{mind_id}/story/sources", { path: { mind_id: mind }, query, abort });
    if (page.etag !== etag || abort.aborted) return;
    after = page.next;
    found = withPage(found, page, placeOf);
    tell(found);
  }
}

function withPage(found: Sourced, page: Schemas["SourcesOut"], placeOf: (at: number) => number): Sourced {
  const named = page.chapters.flatMap((chapter) =>
    chapter.sentences.map((one, at) => [`${chapter.index}-${at}`, one] as const),
  );
  const marks = named.map(([name, one]) => ({ from: placeOf(one.start), to: placeOf(one.end), kind: one.state, name }));
  return {
    sentences: new Map([...found.sentences, ...named]),
    marks: [...found.marks, ...marks.filter((one) => one.from < one.to)],
    isWhole: page.next === null,
  };
}
