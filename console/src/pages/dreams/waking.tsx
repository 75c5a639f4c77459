// What an agent is handed when it wakes: the briefing, the rules, what comes first; and its diary.
import { get } from "../../api/client";
import { fileOf } from "../../api/journal";
import { useLoaded, Wait } from "../../parts/load";
import { Markdown } from "../../parts/markdown";

const DIARY = "diary.md";

export function Waking({ mind, night, hasDiary }: { mind: string; night: string; hasDiary: boolean }) {
  const waking = useLoaded(() => get("/v1/minds/{mind_id}/waking", { path: { mind_id: mind } }), [mind, night]);
  return (
    <>
      <section aria-labelledby="waking">
        <h2 id="waking">When it wakes</h2>
        <Wait of={waking}>
          {({ briefing, priority, priorities, rules, text }) => (
            <>
              {briefing && <p class="said">{briefing}</p>}
              {priority && <p><strong>What comes first:</strong> {priority}</p>}
              <Named name="Priorities" of={priorities} />
              <Named name="Rules it made for itself" of={rules} />
              <details>
                <summary>All that it is handed, word for word</summary>
                <pre tabIndex={0}>{text}</pre>
              </details>
            </>
          )}
        </Wait>
      </section>
      {hasDiary && <Diary mind={mind} night={night} />}
    </>
  );
}

function Named({ name, of }: { name: string; of: readonly string[] }) {
  if (!of.length) return null;
  return <><h3>{name}</h3><ul class="list">{of.map((one) => <li key={one}>{one}</li>)}</ul></>;
}

function Diary({ mind, night }: { mind: string; night: string }) {
  const diary = useLoaded(() => fileOf(mind, DIARY), [mind, night]);
  if (!diary.value?.text.trim()) return null;
  return (
    <section aria-labelledby="diary">
      <h2 id="diary">Diary</h2>
      <Markdown text={diary.value.text} />
    </section>
  );
}
