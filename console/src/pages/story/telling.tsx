// How far the story is told, what waits, and the run that tells it.
import { useEffect } from "preact/hooks";
import { get, post, type Schemas } from "../../api/client";
import { ago, counted, day } from "../../dates";
import { type Draft, notSaved } from "../../parts/draft";
import { type Loaded, useHappened, useLoaded } from "../../parts/load";
import { attempt, say } from "../../parts/toast";

type Run = Schemas["ConsolidationOut"];

const LOOK_MS = 1500;

export function useTelling(mind: string): Loaded<Run> {
  const telling = useLoaded(() => get("/v1/minds/{mind_id}/consolidation", { path: { mind_id: mind } }), [mind]);
  useHappened(["story.told", "turn.kept", "correction.made", "reset"], telling.again);
  useEffect(() => {
    if (!telling.value?.is_running) return;
    const timer = setTimeout(telling.again, LOOK_MS);
    return () => clearTimeout(timer);
  }, [telling.value]);
  return telling;
}

export function TellButton({ mind, telling }: { mind: string; telling: Loaded<Run> }) {
  const run = telling.value;
  if (!run || (!run.pending_turns && !run.is_running)) return null;
  const body = { trigger: "manual", wait: false, skip: false } as const;
  const tell = () =>
    void attempt(async () => {
      await post("/v1/minds/{mind_id}/consolidation", { path: { mind_id: mind }, body });
      say("It is being told. What you read stays as it is until then.");
      telling.again();
    });
  const name = run.last_run?.error ? "Tell again" : "Tell what waits";
  return <button type="button" disabled={run.is_running} onClick={tell}>{run.is_running ? "Telling…" : name}</button>;
}

interface StateProps {
  draft: Draft;
  /** The story has another text now than the one that is being edited had. */
  isOther: boolean;
  story: Schemas["StoryTold"];
  run: Run | undefined;
  savedAt: string | undefined;
}

/** One sentence: when it was saved, how far it is told, what waits. */
export function StateOfStory({ draft, isOther, story, run, savedAt }: StateProps) {
  const saved = draft.isSaving ? "Saving…" : draft.isChanged ? notSaved(isOther) : savedAt ? `Saved ${ago(savedAt)}` : "";
  const told = story.last_processed ? `told up to ${day(story.last_processed)}` : "nothing told yet";
  const parts = [saved, told, run ? waiting(run) : ""].filter(Boolean).join(" · ");
  return (
    <>
      <p class="quiet state" role="status">{parts[0]?.toUpperCase()}{parts.slice(1)}</p>
      {run?.last_run?.error && !run.is_running && <p class="trouble">The last telling stopped: {run.last_run.error}</p>}
    </>
  );
}

function waiting({ is_running, last_run, pending_turns }: Run): string {
  if (is_running && last_run) return `telling now, ${last_run.told} of ${counted(last_run.turns, "turn")}`;
  if (!pending_turns) return "nothing waits";
  return `${counted(pending_turns, "turn")} ${pending_turns === 1 ? "waits" : "wait"}`;
}
