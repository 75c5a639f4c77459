import { useState } from "preact/hooks";
import { number } from "../dates";

/** Somebody's words; of very long ones the beginning, and the rest when asked for. */
export function Long({ of, most = 1200 }: { of: string; most?: number }) {
  const [isWhole, setWhole] = useState(false);
  if (isWhole || of.length <= most) return <bdi>{of}</bdi>;
  return (
    <>
      <bdi>{of.slice(0, most)}…</bdi>{" "}
      <button type="button" class="link small" onClick={() => setWhole(true)}>All {number(of.length)} characters</button>
    </>
  );
}
