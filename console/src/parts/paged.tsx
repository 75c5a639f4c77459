// A list that comes in pages. What is shown stays while it is asked for again.
import { useMemo, useRef, useState } from "preact/hooks";
import { counted } from "../dates";
import { note, noted } from "../router";
import { type Loaded, useLoaded } from "./load";
import { attempt } from "./toast";

export interface Page<T> {
  items: readonly T[];
  next_cursor: string | null;
}

export interface PageAsked {
  limit: number;
  cursor?: string;
}

export interface Paged<T> extends Loaded<readonly T[]> {
  hasMore: boolean;
  more: () => void;
}

const PAGE = 30;
const LARGEST_PAGE = 500;

/**
 * Ask for the first page when the page opens and when one of *on* changes, and for further ones by `more`. Where one
 * comes back to the list, it is as long as it was.
 */
export function usePaged<T>(ask: (asked: PageAsked) => Promise<Page<T>>, on: readonly unknown[]): Paged<T> {
  const size = useRef(PAGE);
  const name = `shown ${JSON.stringify(on)}`;
  useMemo(() => {
    size.current = Number(noted(name) ?? PAGE);
  }, on);
  const first = useLoaded(() => ask({ limit: Math.min(LARGEST_PAGE, size.current) }), on);
  const [later, setLater] = useState<{ after: Page<T> | undefined; pages: readonly Page<T>[] }>({ after: undefined, pages: [] });
  const pages = first.value ? [first.value, ...(later.after === first.value ? later.pages : [])] : [];
  const cursor = pages.at(-1)?.next_cursor ?? null;
  const items = pages.flatMap((one) => one.items);
  const more = () =>
    void attempt(async () => {
      if (!cursor) return;
      const page = await ask({ limit: PAGE, cursor });
      size.current = items.length + page.items.length;
      note(name, size.current);
      setLater({ after: first.value, pages: [...pages.slice(1), page] });
    });
  return { ...first, value: first.value && items, hasMore: cursor !== null, more };
}

export function More({ of, one, many }: { of: Paged<unknown>; one: string; many?: string }) {
  const shown = of.value?.length ?? 0;
  if (!shown) return null;
  return (
    <p class="more row">
      <span class="quiet" role="status">{counted(shown, one, many)} shown{of.hasMore ? "" : ", which is all"}</span>
      {of.hasMore && <button type="button" onClick={of.more}>More</button>}
    </p>
  );
}
