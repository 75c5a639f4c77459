// Light or dark: the system's choice, unless somebody chose here.
import { effect, signal } from "@preact/signals";

const PLACE = "mind-memory-theme";
const system = matchMedia("(prefers-color-scheme: dark)");

type Theme = "light" | "dark";

const chosen = signal<Theme | null>(readChosen());
const ofSystem = signal<Theme>(system.matches ? "dark" : "light");

system.addEventListener("change", () => {
  ofSystem.value = system.matches ? "dark" : "light";
});

export const theme = (): Theme => chosen.value ?? ofSystem.value;

export function switchTheme(): void {
  const other: Theme = theme() === "dark" ? "light" : "dark";
  chosen.value = other === ofSystem.value ? null : other;
  if (chosen.value) localStorage.setItem(PLACE, other);
  else localStorage.removeItem(PLACE);
}

effect(() => {
  document.documentElement.dataset.theme = theme();
});

function readChosen(): Theme | null {
  const kept = localStorage.getItem(PLACE);
  return kept === "light" || kept === "dark" ? kept : null;
}
