// What people decided, each with the way back.
import { get, type Schemas } from "../../api/client";
import { By, Decisions, takeBack } from "../../parts/correct";
import { useHappened, Wait } from "../../parts/load";
import { More, usePaged } from "../../parts/paged";
import { When } from "../../parts/time";
import { attempt, say } from "../../parts/toast";
import { Words } from "../../parts/words";

type Correction = Schemas["CorrectionOut"];

export function PutRight({ mind }: { mind: string }) {
  const made = usePaged<Correction>((query) => get("/v1/minds/{mind_id}/corrections", { path: { mind_id: mind }, query }), [mind]);
  useHappened(["correction.made"], made.again);
  return (
    <section aria-labelledby="put-right">
      <h2 id="put-right" class="only-read">What was put right</h2>
      <Wait of={made}>
        {(items) =>
          items.length ? (
            <ul class="list">{items.map((one) => <Row key={one.id} mind={mind} of={one} again={made.again} />)}</ul>
          ) : (
            <p class="quiet" role="status">Nobody put anything right yet.</p>
          )
        }
      </Wait>
      <More of={made} one="decision" />
    </section>
  );
}

function Row({ mind, of, again }: { mind: string; of: Correction; again: () => void }) {
  const undo = async () => {
    if (await attempt(() => takeBack(mind, of.id))) say("Taken back.");
    again();
  };
  const isGone = of.state !== "stands";
  return (
    <li class="row between">
      <span>
        <Words class={isGone ? "said ended" : "said"} of={(of.what === "say" ? of.to : of.target.text) ?? ""} />{" "}
        {of.what !== "say" && <Decisions of={[of]} />}
        <br />
        <span class="small quiet">
          <By who={of.by} />, <When at={of.at} />
          {of.reason && <>: <bdi>{of.reason}</bdi></>}
        </span>
      </span>
      {isGone ? <span class="badge">{of.state}</span> : <button type="button" onClick={() => void undo()}>Take back</button>}
    </li>
  );
}
