// How far what was kept has come: found by words, by meaning, read, told.
import type { Schemas } from "../../api/client";
import { counted } from "../../dates";
import { to } from "../../router";

type Standing = Schemas["MindOut"];

interface Lane {
  name: string;
  /** Turns that are not there yet. */
  behind: number;
  waitingFor: string | null;
}

function lanesOf({ last_sequence, text, graph, story }: Standing): readonly Lane[] {
  return [
    { name: "found by words", behind: last_sequence - text.sequence, waitingFor: null },
    { name: "found by meaning", behind: last_sequence - graph.saved, waitingFor: graph.waiting_for },
    { name: "read for facts", behind: graph.lag, waitingFor: graph.waiting_for },
    { name: "told in the story", behind: story.pending_turns, waitingFor: story.waiting_for },
  ];
}

export function Lanes({ of, retry }: { of: Standing; retry: () => void }) {
  const parked = of.graph.parked;
  return (
    <section aria-labelledby="how-it-is">
      <h2 id="how-it-is">How it is</h2>
      <ul class="list">
        <li>{counted(of.turns, "turn")} kept</li>
        {lanesOf(of).map((one) => (
          <li key={one.name}>
            {one.name}: <span class={one.waitingFor ? "wrong" : "quiet"}>{stateOf(one)}</span>
          </li>
        ))}
      </ul>
      {of.settings_fault && <p class="wrong">settings.toml: {of.settings_fault.detail}</p>}
      {parked.length > 0 && (
        <div class="trouble">
          <p>{counted(parked.length, "turn")} could not be read: {parked[0]?.error}</p>
          <button type="button" onClick={retry}>Try again</button>{" "}
          <a href={to(of.mind_id, "replay")}>See what was said</a>
        </div>
      )}
    </section>
  );
}

function stateOf({ behind, waitingFor }: Lane): string {
  if (behind <= 0) return "up to date";
  return waitingFor ? `${behind} behind, waiting for ${waitingFor}` : `${behind} behind`;
}
