// In how many turns of each month its facts were told: bars, and the same as a table.
import type { Schemas } from "../../api/client";
import { counted, dayFormat } from "../../dates";

type Month = Schemas["MonthOut"];

const HIGH = 60;
const monthOf = dayFormat({ month: "short", year: "numeric", timeZone: "UTC" });

const written = (month: string): string => monthOf(`${month}-01T00:00:00Z`);

export function Mentions({ months }: { months: readonly Month[] }) {
  const all = withoutGaps(months);
  if (!all.length) return null;
  const turns = months.reduce((sum, one) => sum + one.turns, 0);
  const most = Math.max(...all.map((one) => one.turns));
  const title = `Its facts were told in ${counted(turns, "turn")}, in ${counted(months.length, "month")}.`;
  return (
    <figure class="mentions">
      <figcaption>{title}</figcaption>
      <svg viewBox={`0 0 ${Math.max(6, all.length)} ${HIGH}`} preserveAspectRatio="none" role="img" aria-label={title}>
        {all.map((one, at) => {
          const high = one.turns ? Math.max(2, (one.turns / most) * HIGH) : 0;
          return <rect key={one.month} x={at + 0.08} width={0.84} y={HIGH - high} height={high} />;
        })}
      </svg>
      <p class="small quiet">{[...new Set([all[0], all.at(-1)].map((one) => written(one?.month ?? "")))].join(" – ")}</p>
      <details class="where">
        <summary>As a table</summary>
        <table>
          <thead><tr><th scope="col">Month</th><th scope="col">Turns</th></tr></thead>
          <tbody>{months.map((one) => <tr key={one.month}><th scope="row">{written(one.month)}</th><td>{one.turns}</td></tr>)}</tbody>
        </table>
      </details>
    </figure>
  );
}

/** Every month from the first to the last, also those without a turn. */
function withoutGaps(months: readonly Month[]): readonly Month[] {
  const [first, last] = [months[0], months.at(-1)];
  if (!first || !last) return [];
  const known = new Map(months.map((one) => [one.month, one.turns]));
  const all: Month[] = [];
  const month = new Date(`${first.month}-01T00:00:00Z`);
  for (let name = first.month; name <= last.month; name = month.toISOString().slice(0, 7)) {
    all.push({ month: name, turns: known.get(name) ?? 0 });
    month.setUTCMonth(month.getUTCMonth() + 1);
  }
  return all;
}
