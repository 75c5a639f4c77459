// Markdown as elements, never as HTML: headings, lists, quotations, code, emphasis, links to http and https. No images.
import type { ComponentChildren } from "preact";

export function Markdown({ text }: { text: string }) {
  const blocks = blocksOf(text.split(/\r?\n/));
  const highest = blocks.find((one) => one.kind === "heading")?.depth ?? 1;
  return <div class="markdown">{blocks.map((one, at) => <Block key={at} of={one} highest={highest} />)}</div>;
}

type Kind = "heading" | "list" | "numbers" | "quote" | "code" | "rule" | "paragraph";

interface BlockOf {
  kind: Kind;
  /** Of a heading, how many # it has. */
  depth: number;
  lines: readonly string[];
}

const FENCE = /^ {0,3}(```|~~~)/;
const STARTS: readonly [Kind, RegExp][] = [
  ["heading", /^ {0,3}(#{1,6})[ \t]+/],
  ["rule", /^ {0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*$/],
  ["list", /^\s*[-*+][ \t]+/],
  ["numbers", /^\s*\d{1,9}[.)][ \t]+/],
  ["quote", /^ {0,3}>[ \t]?/],
];

function blocksOf(lines: readonly string[]): BlockOf[] {
  const blocks: BlockOf[] = [];
  for (let at = 0; at < lines.length; ) {
    const block = FENCE.test(lines[at] ?? "") ? codeAt(lines, at) : blockAt(lines, at);
    if (block.lines.some((line) => line.trim()) || block.kind === "code") blocks.push(block);
    at = block.next;
  }
  return blocks;
}

function codeAt(lines: readonly string[], from: number): BlockOf & { next: number } {
  const fence = FENCE.exec(lines[from] ?? "")?.[1] ?? "";
  const end = lines.findIndex((line, at) => at > from && line.trimStart().startsWith(fence));
  const last = end < 0 ? lines.length : end;
  return { kind: "code", depth: 0, lines: lines.slice(from + 1, last), next: last + 1 };
}

function blockAt(lines: readonly string[], from: number): BlockOf & { next: number } {
  const [kind, start] = startOf(lines[from] ?? "");
  let next = from + 1;
  const goesOn = (line: string) => line.trim() !== "" && !FENCE.test(line) && (startOf(line)[0] === kind || isContinued(kind, line));
  if (kind !== "heading" && kind !== "rule" && lines[from]?.trim()) while (next < lines.length && goesOn(lines[next] ?? "")) next++;
  const depth = kind === "heading" ? (start?.exec(lines[from] ?? "")?.[1]?.length ?? 1) : 0;
  const found = lines.slice(from, next);
  return { kind, depth, lines: kind === "list" || kind === "numbers" ? itemsOf(found, start) : found.map((line) => (start ? line.replace(start, "") : line)), next };
}

const startOf = (line: string): readonly [Kind, RegExp?] => STARTS.find(([, start]) => start.test(line)) ?? ["paragraph"];

const isContinued = (kind: Kind, line: string): boolean =>
  (kind === "list" || kind === "numbers") && startOf(line)[0] === "paragraph";

/** The items of a list: a line that begins none belongs to the one before it. */
function itemsOf(lines: readonly string[], start: RegExp | undefined): string[] {
  const items: string[] = [];
  for (const line of lines) {
    if (start?.test(line)) items.push(line.replace(start, ""));
    else items.push(`${items.pop() ?? ""} ${line.trim()}`);
  }
  return items;
}

/** *highest* is the depth of the first heading: what is deeper stands one level below it. */
function Block({ of: { kind, depth, lines }, highest }: { of: BlockOf; highest: number }) {
  const words = lines.join("\n");
  switch (kind) {
    case "heading":
      return depth <= highest ? <h3><Inline text={words} /></h3> : <h4><Inline text={words} /></h4>;
    case "rule":
      return <hr />;
    case "code":
      return <pre tabIndex={0}>{words}</pre>;
    case "quote":
      return <blockquote><p><Inline text={words} /></p></blockquote>;
    case "list":
      return <ul>{lines.map((one, at) => <li key={at}><Inline text={one} /></li>)}</ul>;
    case "numbers":
      return <ol>{lines.map((one, at) => <li key={at}><Inline text={one} /></li>)}</ol>;
    case "paragraph":
      return <p><Inline text={words} /></p>;
  }
}

const INLINE = /`([^`\n]+)`|\*\*([^*\n]+)\*\*|\[([^\]\n]+)\]\(([^\s()]+)\)|\*([^*\s][^*\n]*)\*|(?<![\p{L}\p{N}])_([^_\s][^_\n]*)_(?![\p{L}\p{N}])/gu;

function Inline({ text }: { text: string }) {
  const pieces: ComponentChildren[] = [];
  let at = 0;
  for (const found of text.matchAll(INLINE)) {
    pieces.push(text.slice(at, found.index), elementOf(found, pieces.length));
    at = found.index + found[0].length;
  }
  return <>{pieces}{text.slice(at)}</>;
}

function elementOf([whole, code, strong, label, address, ...emphasis]: RegExpExecArray, key: number): ComponentChildren {
  if (code) return <code key={key}>{code}</code>;
  if (strong) return <strong key={key}>{strong}</strong>;
  if (label && address) {
    return /^https?:\/\//i.test(address) ? <a key={key} href={address} rel="noreferrer">{label}</a> : whole;
  }
  const words = emphasis.find(Boolean);
  return words ? <em key={key}>{words}</em> : whole;
}
