// A box of words that a list is filtered by, a moment after the last letter was typed.
import { useEffect, useRef, useState } from "preact/hooks";

const TYPED_MS = 250;

interface SearchBoxProps {
  label: string;
  /** The words that the list is filtered by, without spaces at their ends. */
  value: string;
  change: (words: string) => void;
}

export function SearchBox({ label, value, change }: SearchBoxProps) {
  const [typed, setTyped] = useState(value);
  const [seen, setSeen] = useState(value);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  if (seen !== value) {
    setSeen(value);
    if (value !== typed.trim()) setTyped(value); // changed elsewhere; else a space that was just typed would go
  }
  useEffect(() => () => clearTimeout(timer.current), []);
  const type = (words: string) => {
    setTyped(words);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => change(words.trim()), TYPED_MS);
  };
  return (
    <label class="wide">
      {label}
      <input type="search" value={typed} maxLength={2000} onInput={(event) => type(event.currentTarget.value)} />
    </label>
  );
}
