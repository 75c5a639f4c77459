// The story: read it, see which turns carry each sentence, edit it, compare its versions.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { get, type Schemas } from "../api/client";
import { bind, mention } from "../keys";
import { type Draft, type Kept, useChangedElsewhere, useDraft } from "../parts/draft";
import { Editor, type Mark, type Mounted } from "../parts/editor";
import { Trouble, useHappened, useLoaded, Wait } from "../parts/load";
import { Merge } from "../parts/merge";
import { chaptersOf, type Part } from "../parts/sections";
import { say } from "../parts/toast";
import { place } from "../router";
import { About } from "./story/about";
import { CarriedBy } from "./story/carried_by";
import { History, type Version } from "./story/history";
import { Outline } from "./story/outline";
import { useSentences } from "./story/sentences";
import { StateOfStory, TellButton, useTelling } from "./story/telling";
import { keeperOf, keptOf, readStory } from "./story/text";

type Told = Schemas["StoryTold"];

const NO_MARKS: readonly Mark[] = [];

export default function Story({ mind }: { mind: string }) {
  const story = useLoaded(() => readStory(mind), [mind]);
  useHappened(["story.told", "reset"], story.again);
  useChangedElsewhere(story.value?.etag, () => readStory(mind), story.again);
  return (
    <section class="page story">
      <h1 class="only-read">Story</h1>
      <Wait of={story}>{(told) => <Reading mind={mind} story={told} again={story.again} />}</Wait>
    </section>
  );
}

interface ReadingProps {
  mind: string;
  story: Told;
  again: () => void;
}

function Reading({ mind, story, again }: ReadingProps) {
  const history = useLoaded(() => get("/v1/minds/{mind_id}/story/history", { path: { mind_id: mind } }), [mind, story.etag]);
  const telling = useTelling(mind);
  const keeper = keeperOf(mind, story);
  const kept = useMemo(() => keptOf(story), [story]);
  const draft = useDraft({ name: `story ${mind}`, kept, ...keeper });
  const [version, setVersion] = useState<Version | null>(null);
  const save = async (text?: string, theirs?: Kept) => {
    const undo = await draft.save(text, theirs);
    if (!undo) return;
    say("Saved.", () => undo().finally(again));
    again();
  };
  const run = telling.value;
  const savedAt = history.value?.versions[0]?.saved_at ?? run?.last_run?.ended_at ?? undefined;
  return (
    <>
      <div class="bar">
        <button type="button" class="main" disabled={!draft.isChanged || draft.isSaving} onClick={() => void save()}>Save</button>
        {draft.isChanged && <button type="button" onClick={() => draft.begin(kept)}>Drop changes</button>}
        <TellButton mind={mind} telling={telling} />
        <StateOfStory draft={draft} isOther={kept.text !== draft.kept.text} story={story} run={run} savedAt={savedAt} />
      </div>
      {telling.problem && <Trouble problem={telling.problem} again={telling.again} />}
      {history.problem && <Trouble problem={history.problem} again={history.again} />}
      {draft.conflict ? (
        <Merge
          key={draft.conflict.theirs.etag}
          mine={draft.text}
          conflict={draft.conflict}
          partsOf={chaptersOf}
          save={save}
          leave={(theirs) => (draft.begin(theirs), again())}
          afterwards="What you replace is kept under “Earlier versions”."
        />
      ) : (
        <Book mind={mind} story={story} draft={draft} version={version} save={() => void save()} waits={run?.pending_turns ?? 0} />
      )}
      <History mind={mind} keeper={keeper} history={history} shown={version} show={setVersion} isChanged={draft.isChanged} restored={again} />
    </>
  );
}

interface BookProps {
  mind: string;
  story: Told;
  draft: Draft;
  version: Version | null;
  save: () => void;
  waits: number;
}

function Book({ mind, story, draft, version, save, waits }: BookProps) {
  const sourced = useSentences(mind, story);
  const [chosen, setChosen] = useState<string | null>(null);
  const mounted = useRef<Mounted | null>(null);
  const panel = useRef<HTMLElement>(null);
  const chapters = useMemo(() => chaptersOf(draft.text).filter((one) => one.heading), [draft.text]);
  const byPerson = useMemo(() => new Set(story.chapters.filter((one) => one.edited_by_person).map((one) => one.heading)), [story]);
  const reveal = (chapter: Part | undefined) => chapter && mounted.current?.reveal(chapter.from);
  const digest = place.value.part;
  const digests = useMemo(() => story.chapters.map((one) => one.digest), [story]);
  const isThere = digests.includes(digest);
  const [isReady, setReady] = useState(false);
  useEffect(() => {
    if (isReady && isThere) reveal(chapters[digests.indexOf(digest)]);
  }, [isReady, isThere, digest]);
  useChapterKeys(chapters, mounted);
  const choose = (name: string | null, isByKey: boolean) => {
    setChosen(name);
    if (isByKey && name) setTimeout(() => panel.current?.focus());
  };
  const leave = () => {
    setChosen(null);
    mounted.current?.focus(); // its caret is in the sentence still
  };
  const sentence = chosen === null ? undefined : sourced.sentences.get(chosen);
  const marks = useMarks(draft, story, sourced.marks);
  return (
    <div class="book">
      {chapters.length > 1 && (
        <Outline mind={mind} chapters={chapters} digests={digests} byPerson={byPerson} at={digest} reveal={reveal} />
      )}
      <div class="text">
        {!draft.text.trim() && <Empty waits={waits} />}
        <Editor
          label="The story, in Markdown"
          hint="Or begin it yourself: ### [2026-01-09 18:30] A title"
          text={draft.text}
          replaced={draft.replaced}
          change={draft.change}
          save={save}
          marks={marks}
          chosen={chosen}
          choose={choose}
          original={version?.text ?? null}
          mounted={mounted}
          ready={() => setReady(true)}
        />
      </div>
      <div class="beside">
        {sourced.problem && <Trouble problem={sourced.problem} again={sourced.again} />}
        {sentence && (
          <aside ref={panel} class="sheet" tabIndex={-1} aria-labelledby="from" onKeyDown={(event) => event.key === "Escape" && leave()}>
            <div class="row">
              <h2 id="from">Where this comes from</h2>
              <button type="button" onClick={() => setChosen(null)}>Close</button>
            </div>
            <CarriedBy mind={mind} sentence={sentence} />
          </aside>
        )}
        <About story={story} />
      </div>
    </div>
  );
}

/** The marks of the story as it is kept; while it is edited, the editor itself knows which of them still hold. */
function useMarks(draft: Draft, story: Told, found: readonly Mark[]): readonly Mark[] {
  const kept = useRef(NO_MARKS);
  if (draft.kept.etag !== story.etag) kept.current = NO_MARKS;
  else if (!draft.isChanged) kept.current = found;
  return kept.current;
}

function useChapterKeys(chapters: readonly Part[], mounted: { current: Mounted | null }): void {
  const at = useRef(-1);
  useEffect(() => {
    const step = (by: number) => () => {
      at.current = Math.min(Math.max(at.current + by, 0), chapters.length - 1);
      const chapter = chapters[at.current];
      if (chapter) mounted.current?.reveal(chapter.from);
      document.querySelectorAll<HTMLElement>(".outline a")[at.current]?.focus();
    };
    const bound = [
      bind("j", "the next chapter", step(1)),
      bind("k", "the chapter before", step(-1)),
      mention("Enter", "open the chapter"),
      mention("Alt Enter", "in the text: where the sentence comes from"),
      bind("e", "edit the story", () => mounted.current?.focus()),
    ];
    return () => bound.forEach((end) => end());
  }, [chapters]);
}

function Empty({ waits }: { waits: number }) {
  return (
    <div class="empty">
      <p class="lead">Nothing is told yet.</p>
      <p>
        When enough was said, it is told here by itself, chapter by chapter, in the words of the one who remembers.
        {waits > 0 && " “Tell what waits” does it now."}
      </p>
    </div>
  );
}
