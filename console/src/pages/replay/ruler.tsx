import { clock } from "../../dates";
import type { Reading } from "./reading";

/** The conversation in miniature: a dot where something came to mind, with the silence between in proportion. */
export function Ruler({ turns, traces, jump }: Pick<Reading, "turns" | "traces"> & { jump: (sequence: number) => void }) {
  const dots = turns.flatMap((turn, at) => (traces.get(turn.sequence)?.surfaced ? [{ turn, at }] : []));
  if (!dots.length) return null;
  return (
    <nav class="ruler" aria-label="Where something came to mind">
      <ol>
        {dots.map(({ turn, at }, index) => {
          const silent = at - (dots[index - 1]?.at ?? -1) - 1;
          const count = traces.get(turn.sequence)?.shown.length ?? 0;
          const name = `Turn ${turn.sequence}, ${clock(turn.occurred_at)}: ${count} came to mind`;
          return (
            <li key={turn.sequence} style={{ flexGrow: silent }}>
              <button type="button" title={name} aria-label={name} onClick={() => jump(turn.sequence)}>
                <span class="ruler-dot" data-count={Math.min(count, 3)} aria-hidden="true" />
              </button>
            </li>
          );
        })}
      </ol>
    </nav>
  );
}
