// The pages of a mind: name, address, key. Each is loaded when it is first opened.
import type { Load } from "./parts/late";

export interface Page {
  /** The word in the address; empty for the overview. */
  path: string;
  name: string;
  /** Pressed after g; empty for a page of one thing, which only links lead to. */
  key: string;
  load: Load<{ mind: string }>;
}

export const PAGES: readonly Page[] = [
  { path: "", name: "Overview", key: "o", load: () => import("./pages/overview") },
  { path: "replay", name: "Replay", key: "r", load: () => import("./pages/replay") },
  { path: "story", name: "Story", key: "s", load: () => import("./pages/story") },
  { path: "graph", name: "Graph", key: "g", load: () => import("./pages/graph") },
  { path: "facts", name: "Facts", key: "f", load: () => import("./pages/facts") },
  { path: "ask", name: "Ask", key: "a", load: () => import("./pages/ask") },
  { path: "talk", name: "Talk", key: "t", load: () => import("./pages/talk") },
  { path: "dreams", name: "Dreams", key: "d", load: () => import("./pages/dreams") },
  { path: "journal", name: "Journal", key: "j", load: () => import("./pages/journal") },
  { path: "moving", name: "In and out", key: "b", load: () => import("./pages/moving") },
  { path: "erase", name: "Forget", key: "x", load: () => import("./pages/erase") },
  { path: "settings", name: "Settings", key: ",", load: () => import("./pages/settings") },
  { path: "entity", name: "Entity", key: "", load: () => import("./pages/entity") },
];

/** The pages that lists of pages show. */
export const LISTED = PAGES.filter((one) => one.key);
