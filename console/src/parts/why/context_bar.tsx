import { number } from "../../dates";

interface Part {
  name: string;
  characters: number;
}

/** What a model would read: the parts of its window as a bar, and in figures. */
export function ContextBar({ of }: { of: readonly Part[] }) {
  const known = of.filter((one) => one.characters);
  if (!known.length) return null;
  return (
    <figure class="context-bar">
      <figcaption class="small">What a model would read</figcaption>
      <div class="context-parts" aria-hidden="true">
        {known.map((one) => <span key={one.name} data-part={of.indexOf(one)} style={{ flexGrow: one.characters }} />)}
      </div>
      <ul class="small">
        {known.map((one) => (
          <li key={one.name}><span class="swatch" data-part={of.indexOf(one)} aria-hidden="true" /> {one.name}: {number(one.characters)} characters</li>
        ))}
      </ul>
    </figure>
  );
}
