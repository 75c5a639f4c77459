// The calls that a page made, as commands to copy: nothing here can be done that curl can not do.
import { useState } from "preact/hooks";
import { calls } from "../api/client";
import { Late } from "./late";

const commands = () => import("./commands");

export function AsCall() {
  const [isOpen, setOpen] = useState(false);
  if (!calls.value.length) return null;
  return (
    <details class="as-call" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>As a call</summary>
      {isOpen && <Late load={commands} />}
    </details>
  );
}
