// A question over the page: the browser's own dialog, which keeps the focus and closes with Esc.
import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { Toast } from "./toast";

interface DialogProps {
  title: string;
  close: () => void;
  children: ComponentChildren;
}

export function Dialog({ title, close, children }: DialogProps) {
  const place = useRef<HTMLDialogElement>(null);
  const name = useId();
  useEffect(() => place.current?.showModal(), []);
  return (
    <dialog ref={place} aria-labelledby={name} onClose={close}>
      <h2 id={name}>{title}</h2>
      {children}
      <Toast />
    </dialog>
  );
}
