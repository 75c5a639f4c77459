// What was just done, said once, with the way to take it back.
import { signal } from "@preact/signals";
import { asProblem } from "./load";

interface Said {
  text: string;
  undo?: (() => Promise<unknown>) | undefined;
}

const said = signal<Said | null>(null);
let timer: ReturnType<typeof setTimeout> | undefined;

const SHOWN_MS = 12_000;

/** Say what was done. *undo* takes it back. */
export function say(text: string, undo?: () => Promise<unknown>): void {
  clearTimeout(timer);
  said.value = { text, undo };
  timer = setTimeout(() => {
    said.value = null;
  }, SHOWN_MS);
}

/** Do something, and say what came of it; true if it was done. */
export async function attempt(deed: () => Promise<unknown>): Promise<boolean> {
  try {
    await deed();
    return true;
  } catch (error) {
    say(asProblem(error).detail);
    return false;
  }
}

/** Take back what was done last, if that can be taken back. */
export async function undoLast(): Promise<void> {
  const undo = said.value?.undo;
  if (undo && (await attempt(undo))) say("Taken back.");
}

export function Toast() {
  const shown = said.value;
  return (
    <div class="toast" role="status">
      {shown && (
        <p>
          {shown.text}{" "}
          {shown.undo && <button type="button" onClick={undoLast}>Undo</button>}
        </p>
      )}
    </div>
  );
}
