// A part whose script is loaded when it is first shown.
import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Loading } from "./load";

export type Load<Props> = () => Promise<{ default: ComponentType<Props> }>;

export function Late<Props extends object>({ load, ...props }: { load: Load<Props> } & Props) {
  const [shown, setShown] = useState<ComponentType<Props> | null>(null);
  const [hasFailed, setFailed] = useState(false);
  useEffect(() => {
    load().then(
      (found) => setShown(() => found.default),
      () => setFailed(true),
    );
  }, [load]);
  if (hasFailed) return <p role="alert">This page can not be loaded. Was the service updated? Load the console anew.</p>;
  const Shown = shown;
  return Shown ? <Shown {...(props as unknown as Props)} /> : <Loading />;
}
