// The fields of a mind's own settings: a slider, numbers, words, kinds; each with where its value comes from.
import type { TargetedEvent } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { isSame, type Name, type OwnSettings, type Read } from "./own_state";

const SOURCES = { default: "default", service: "the service's", mind: "its own" };
const RESTS_MS = 400;

export interface FieldProps {
  own: OwnSettings;
  of: Read["settings"];
  label: string;
}

interface Typed<T> {
  shown: T;
  type: (value: T) => void;
  keep: (value: T) => void;
  /** The field is left: what was typed and is what is kept anyway is forgotten. */
  leave: () => void;
  forget: () => void;
}

/** What is in a field: what was typed, until that is kept; else what is kept. */
function useTyped<T>(kept: T, save: (value: T) => Promise<boolean>): Typed<T> {
  const [typed, setTyped] = useState<{ value: T } | null>(null);
  const drop = (value: T) => setTyped((now) => (now?.value === value ? null : now));
  return {
    shown: typed ? typed.value : kept,
    type: (value) => setTyped({ value }),
    keep: (value) => void save(value).then((isKept) => isKept && drop(value)),
    leave: () => drop(kept),
    forget: () => setTyped(null),
  };
}

interface FromProps {
  name: Name;
  own: OwnSettings;
  of: Read["settings"];
  forget: () => void;
  /** A value as a person reads it. */
  words: (value: unknown) => string;
  /** Save what stands in the field, once more. */
  again: (text: string) => void;
}

type Field = HTMLInputElement | HTMLTextAreaElement;

/** Where the value comes from, the way back to the service's, and why a change was not kept. */
function From({ name, own, of, forget, words, again }: FromProps) {
  const { source } = of[name];
  const refusal = own.refusals[name];
  const takeTheirs = () => {
    forget();
    own.settle(name);
  };
  const saveMine = () => void own.change(name, refusal?.mine).then((isKept) => isKept && forget());
  const tryAgain = (event: TargetedEvent<HTMLButtonElement>) => {
    const field = event.currentTarget.closest(".setting")?.querySelector<Field>("input, textarea");
    if (refusal?.mine === null) saveMine();
    else if (field?.reportValidity()) again(field.value);
  };
  return (
    <>
      <span class="row">
        <span class={source === "mind" ? "badge is-person" : "badge"}>{SOURCES[source]}</span>
        {source === "mind" && (
          <button type="button" onClick={() => void own.change(name, null).then((isKept) => isKept && forget())}>As the service has it</button>
        )}
        {refusal?.words && <button type="button" onClick={tryAgain}>Try again</button>}
      </span>
      {refusal && "theirs" in refusal && (
        <div class="trouble" role="alert">
          <p>
            Somebody else changed this meanwhile, to <b><bdi>{words(refusal.theirs) || "nothing"}</bdi></b>. Yours is not saved yet:{" "}
            <b><bdi>{refusal.mine === null ? "as the service has it" : words(refusal.mine) || "nothing"}</bdi></b>.
          </p>
          <div class="row">
            <button type="button" onClick={saveMine}>Save mine</button>
            <button type="button" onClick={takeTheirs}>Keep theirs</button>
          </div>
        </div>
      )}
      {refusal?.words && <p class="trouble" role="alert">Not saved: {refusal.words}</p>}
    </>
  );
}

/** Enter saves what was not saved. What was typed since, the browser calls a change by itself. */
const byEnter = (own: OwnSettings, name: Name, read: (text: string) => unknown, again: (text: string) => void) => (event: TargetedEvent<Field, KeyboardEvent>) => {
  const [refusal, { value }] = [own.refusals[name], event.currentTarget];
  if (event.key === "Enter" && refusal?.words && isSame(read(value), refusal.mine)) again(value);
};

/** A slider is kept when it rests: a key that is held moves it thirty times a second. */
export function Relevance({ own, of, label }: FieldProps) {
  const { shown, type, keep, forget } = useTyped(of.relevance.value, (value) => own.change("relevance", value));
  const waiting = useRef<{ timer: ReturnType<typeof setTimeout>; value: number } | null>(null);
  const rest = useRef(() => undefined as void);
  rest.current = () => {
    if (!waiting.current) return;
    clearTimeout(waiting.current.timer);
    keep(waiting.current.value);
    waiting.current = null;
  };
  useEffect(() => () => rest.current(), []);
  const again = (text: string) => keep(Number(text));
  const move = (value: number) => {
    type(value);
    clearTimeout(waiting.current?.timer);
    waiting.current = { value, timer: setTimeout(() => rest.current(), RESTS_MS) };
  };
  return (
    <div class="setting">
      <label>
        {label}: {shown.toFixed(2)}
        <input
          type="range" min={0} max={1} step={0.05} value={shown}
          onInput={(event) => move(Number(event.currentTarget.value))} onBlur={() => rest.current()}
          onKeyDown={byEnter(own, "relevance", Number, again)}
        />
      </label>
      <From name="relevance" own={own} of={of} forget={forget} words={(value) => Number(value).toFixed(2)} again={again} />
    </div>
  );
}

interface CountProps extends FieldProps {
  name: "max_fragments" | "max_tokens" | "echo_turns";
  most: number;
}

export function Count({ name, own, of, label, most }: CountProps) {
  const { shown, type, keep, leave, forget } = useTyped(String(of[name].value), (text) => own.change(name, Number(text)));
  return (
    <div class="setting">
      <label>
        {label}
        <input
          type="number" required min={0} max={most} value={shown} onInput={(event) => type(event.currentTarget.value)}
          onChange={(event) => event.currentTarget.reportValidity() && keep(event.currentTarget.value)} onBlur={leave}
          onKeyDown={byEnter(own, name, Number, keep)}
        />
      </label>
      <From name={name} own={own} of={of} forget={forget} words={String} again={keep} />
    </div>
  );
}

interface WordsProps extends FieldProps {
  name: Name;
  /** What is typed as it is kept, and back. */
  read: (text: string) => unknown;
  write: (value: never) => string;
  /** What is wrong with a text; empty where it may be kept. */
  check?: (text: string) => string;
  /** What may be chosen. */
  choices?: readonly string[];
  /** Several lines. */
  isLong?: boolean;
  /** Its value are words: each is shown by itself, as it is kept. */
  isList?: boolean;
}

export function Words({ name, own, of, label, read, write, check, choices, isLong, isList }: WordsProps) {
  const words = (value: unknown) => write(value as never);
  const { shown, type, keep, leave, forget } = useTyped(words(of[name].value), (text) => own.change(name, read(text.trim())));
  const list = choices && `choices-${name}`;
  const field = {
    value: shown,
    onInput: ({ currentTarget: of }: TargetedEvent<Field>) => {
      of.setCustomValidity(check?.(of.value.trim()) ?? "");
      type(of.value);
    },
    onChange: ({ currentTarget: of }: TargetedEvent<Field>) => {
      if (of.reportValidity()) keep(of.value);
    },
    onBlur: leave,
    onKeyDown: isLong ? undefined : byEnter(own, name, (text) => read(text.trim()), keep),
  };
  return (
    <div class="setting">
      <label>
        {label}
        {isLong ? <textarea {...field} /> : <input list={list} {...field} />}
      </label>
      {choices && <datalist id={list}>{choices.map((one) => <option key={one} value={one} />)}</datalist>}
      <From name={name} own={own} of={of} forget={forget} words={words} again={keep} />
      {isList && <Kept of={of[name].value as readonly string[]} />}
    </div>
  );
}

/** Each by itself, so that it is seen where a text was split. */
function Kept({ of }: { of: readonly string[] }) {
  if (!of.length) return null;
  return <p class="small quiet">Kept: {of.map((one) => <> <bdi key={one} class="badge">{one}</bdi></>)}</p>;
}
