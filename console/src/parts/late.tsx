// A part whose script is loaded when it is first shown, and the one that is shown over the page.
import { signal } from "@preact/signals";
import type { ComponentChildren, ComponentType } from "preact";
import { useRef } from "preact/hooks";
import { get, Problem } from "../api/client";
import { type Loaded, useLoaded, Wait } from "./load";

export type Load<Props> = () => Promise<{ default: ComponentType<Props> }>;

/** The dialog in which somebody writes; it does not go with the part of the page that opened it. */
export const over = signal<ComponentChildren>(null);

export function Late<Props extends object>({ load, ...props }: { load: Load<Props> } & Props) {
  return <Wait of={useScript(load)}>{({ default: Shown }) => <Shown {...(props as unknown as Props)} />}</Wait>;
}

/**
 * A script, and why it is not there. Some browsers remember for as long as the page is open that a script could not be
 * loaded: who asks again while the service answers gets the console anew.
 */
export function useScript<T>(load: () => Promise<T>): Loaded<T> {
  const tried = useRef<unknown>(null);
  return useLoaded(async () => {
    const isAgain = tried.current === load;
    tried.current = load;
    try {
      return await load();
    } catch {
      await get("/healthz"); // raises what says that the service is away, if it is
      if (isAgain) location.reload();
      throw new Problem(0, "A part of the console can not be loaded. Perhaps the service was updated meanwhile.");
    }
  }, [load]);
}
