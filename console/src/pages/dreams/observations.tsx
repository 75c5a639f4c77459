// What dreams observed, by day, each with its level in dots and in words; a person may edit all of it.
import { useState } from "preact/hooks";
import { get, put, type Schemas } from "../../api/client";
import { day } from "../../dates";
import { useChangedElsewhere } from "../../parts/draft";
import { EditText } from "../../parts/edit_text";
import { useLoaded, Wait } from "../../parts/load";
import { attempt } from "../../parts/toast";
import { go, to } from "../../router";
import { LEVELS } from "./levels";

type All = Schemas["ObservationsOut"];
type Observation = All["observations"][number];

const PATH = "/v1/minds/{mind_id}/observations";

export function Observations({ mind, night }: { mind: string; night: string }) {
  const read = () => get(PATH, { path: { mind_id: mind } });
  const write = (text: string, etag: string): Promise<All> =>
    put(PATH, { path: { mind_id: mind }, body: { text }, headers: { "If-Match": etag } });
  const found = useLoaded(read, [mind, night]);
  useChangedElsewhere(found.value?.etag, read, found.again);
  const [isEditing, setEditing] = useState(false);
  return (
    <section aria-labelledby="observed">
      <div class="row between">
        <h2 id="observed">Observed</h2>
        <button type="button" aria-pressed={isEditing} onClick={() => setEditing(!isEditing)}>Edit</button>
      </div>
      <Wait of={found}>
        {(all) =>
          isEditing ? (
            <EditText name={`observations ${mind}`} label="The observations, in Markdown" kept={all} write={write} read={read} saved={found.again} />
          ) : (
            <Days mind={mind} of={all.observations} />
          )
        }
      </Wait>
    </section>
  );
}

function Days({ mind, of }: { mind: string; of: readonly Observation[] }) {
  if (!of.length) return <p class="quiet">Nothing yet: the next dream writes down what mattered. A person may write here, too.</p>;
  const days = [...new Set(of.map((one) => one.day))].sort().reverse();
  return (
    <>
      {days.map((one) => (
        <section key={one} aria-label={day(`${one}T12:00`)}>
          <h3>{day(`${one}T12:00`)}</h3>
          <ul class="list">{of.filter((each) => each.day === one).map((each, at) => <One key={at} mind={mind} of={each} />)}</ul>
        </section>
      ))}
    </>
  );
}

function One({ mind, of }: { mind: string; of: Observation }) {
  const { dots, words } = LEVELS[of.level];
  const open = (sequence: number) =>
    void attempt(async () => {
      const path = { mind_id: mind, turn_id: `episode:${sequence}` };
      const turn = await get("/v1/minds/{mind_id}/turns/{turn_id}", { path });
      go(to(mind, "replay", turn.session_id, { turn: turn.turn_id }));
    });
  return (
    <li>
      <p class="observation">
        <span class={`level is-${of.level}`}><span aria-hidden="true">{dots}</span> {words}</span>{" "}
        <span class="quiet">{of.at}</span> <span class={of.is_superseded ? "said ended" : "said"}>{of.text}</span>
      </p>
      <p class="small quiet">
        {of.is_superseded && <span class="badge">over</span>} {!of.is_ours && <span class="badge is-person">a person wrote it</span>}{" "}
        {of.sources[0] !== undefined && (
          <button type="button" class="link" onClick={() => open(of.sources[0] ?? 0)}>Open what was done</button>
        )}
      </p>
    </li>
  );
}
