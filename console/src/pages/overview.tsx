// What has happened since somebody was here, how the mind is, and six plots.
import { get, post, type Schemas } from "../api/client";
import { counted } from "../dates";
import { useHappened, useLoaded, Wait } from "../parts/load";
import { attempt, say } from "../parts/toast";
import { to } from "../router";
import { ExampleMark } from "./overview/example_mark";
import { Lanes } from "./overview/lanes";
import { News } from "./overview/news";
import { Plots } from "./overview/plots";

type Standing = Schemas["MindOut"];

const CHANGES = ["turn.kept", "turn.read", "turn.parked", "story.told", "correction.made", "resonance.answered", "reset"];

export default function Overview({ mind }: { mind: string }) {
  const path = { mind_id: mind };
  const standing = useLoaded(() => get("/v1/minds/{mind_id}", { path }), [mind]);
  const timeline = useLoaded(() => get("/v1/minds/{mind_id}/timeline", { path, query: { bucket: "day" } }), [mind]);
  useHappened(CHANGES, () => {
    standing.again();
    timeline.again();
  });
  const retry = () =>
    void attempt(async () => {
      const { retrying } = await post("/v1/minds/{mind_id}/parked/retry", { path });
      say(`${counted(retrying, "turn")} tried again.`);
      standing.again();
    });
  return (
    <section class="page overview">
      <h1 class="only-read">Overview</h1>
      <Wait of={standing}>
        {(found) => (
          <>
            <ExampleMark mind={found} />
            <p class="lead">{sentenceOf(found, timeline.value?.buckets)}</p>
            <div class="two">
              <News mind={mind} />
              <Lanes of={found} retry={retry} />
            </div>
          </>
        )}
      </Wait>
      <Wait of={timeline}>{({ buckets }) => <Plots mind={mind} buckets={buckets} />}</Wait>
      <p class="quiet apart">
        <a href={to(mind, "replay")}>Read what was said</a>, with what came to mind beside it.
      </p>
    </section>
  );
}

/** One sentence about a mind: how much it holds, and, where that is known, how often it kept silent. */
function sentenceOf(mind: Standing, buckets: readonly Schemas["TimelineBucketOut"][] | undefined): string {
  const { graph, story } = mind;
  const holds = `${mind.mind_id} holds ${counted(mind.turns, "turn")} in ${counted(mind.sessions, "conversation")}, ${counted(graph.facts + mind.said, "fact")}, ${counted(story.chapters, "chapter")}.`;
  if (!buckets) return holds;
  const calls = buckets.reduce((sum, one) => sum + one.resonance.calls, 0);
  const silent = buckets.reduce((sum, one) => sum + one.resonance.silent, 0);
  const times = silent === calls ? "each time" : counted(silent, "time");
  const quiet = calls
    ? ` In the last 90 days it was asked ${counted(calls, "time")} what comes to mind, and kept silent ${times}.`
    : " In the last 90 days nobody asked it what comes to mind.";
  return holds + quiet;
}
