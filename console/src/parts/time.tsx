import { ago, day, exactly, moment } from "../dates";

/** A time, as long ago or as a date, with the exact moment as its title. */
export function When({ at, as = "ago" }: { at: string; as?: "ago" | "day" | "moment" }) {
  const shown = { ago, day, moment }[as](at);
  return (
    <time dateTime={at} title={exactly(at)}>
      {shown}
    </time>
  );
}
