// The earlier versions as a strip; one of them is compared with the text, and brought back.
import { get, post, type Schemas } from "../../api/client";
import { moment } from "../../dates";
import { type Keeper, takeSaveBack } from "../../parts/draft";
import type { Loaded } from "../../parts/load";
import { attempt, say } from "../../parts/toast";
import { keptOf, shownOf } from "./text";

type History = Schemas["HistoryOut"];

export interface Version {
  name: string;
  text: string;
}

interface HistoryProps {
  mind: string;
  /** Reads and writes the story. */
  keeper: Keeper;
  history: Loaded<History>;
  /** The version that is compared. */
  shown: Version | null;
  show: (version: Version | null) => void;
  isChanged: boolean;
  restored: () => void;
}

export function History({ mind, keeper, history, shown, show, isChanged, restored }: HistoryProps) {
  const versions = history.value?.versions ?? [];
  if (!versions.length) return null;
  const pick = (name: string) =>
    void attempt(async () => {
      if (shown?.name === name) return show(null);
      const found = await get("/v1/minds/{mind_id}/story/history/{version}", { path: { mind_id: mind, version: name } });
      show({ name, text: shownOf(found.text).text });
    });
  const restore = (retell: boolean) =>
    void attempt(async () => {
      const before = await keeper.read();
      const body = { version: shown?.name ?? "", retell };
      const now = keptOf(await post("/v1/minds/{mind_id}/story/restore", { path: { mind_id: mind }, body }));
      say("It is as it was then.", () => takeSaveBack(before.text, now, keeper).finally(restored));
      show(null);
      restored();
    });
  return (
    <section class="history" aria-labelledby="versions">
      <h2 id="versions">Earlier versions</h2>
      <ul class="strip">
        {versions.map((one) => (
          <li key={one.version}>
            <button type="button" aria-pressed={shown?.name === one.version} onClick={() => pick(one.version)}>
              until {moment(one.saved_at)}
            </button>
          </li>
        ))}
      </ul>
      {shown && (
        <div role="status">
          <p>The text shows what changed since: what is new is underlined, what is gone is struck through.</p>
          <div class="row">
            <button type="button" disabled={isChanged} onClick={() => restore(false)}>Bring this version back</button>
            <button type="button" disabled={isChanged} onClick={() => restore(true)}>Bring it back, and tell again what came after</button>
            <button type="button" onClick={() => show(null)}>Back to the text</button>
          </div>
          {isChanged && <p class="quiet">Save what you changed first.</p>}
        </div>
      )}
    </section>
  );
}
