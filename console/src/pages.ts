// The pages of a mind: name, address, key. Each is loaded when it is first opened.
import type { ComponentType } from "preact";

export interface Page {
  /** The word in the address; empty for the overview. */
  path: string;
  name: string;
  /** Pressed after g. */
  key: string;
  load: () => Promise<{ default: ComponentType<{ mind: string }> }>;
}

export const PAGES: readonly Page[] = [
  { path: "", name: "Overview", key: "o", load: () => import("./pages/overview") },
  { path: "story", name: "Story", key: "s", load: () => import("./pages/story") },
  { path: "journal", name: "Journal", key: "j", load: () => import("./pages/journal") },
  { path: "dreams", name: "Dreams", key: "d", load: () => import("./pages/dreams") },
  { path: "moving", name: "Bring in, take out", key: "b", load: () => import("./pages/moving") },
  { path: "erase", name: "Forget", key: "x", load: () => import("./pages/erase") },
  { path: "settings", name: "Settings", key: ",", load: () => import("./pages/settings") },
];
