// The calls that a page made, as commands to copy: nothing here can be done that curl can not do.
import { calls } from "../api/client";
import { say } from "./toast";

export function AsCall() {
  const made = calls.value;
  if (!made.length) return null;
  const text = made.map(({ method, address, body }) => commandOf(method, address, body)).join("\n");
  return (
    <details class="as-call">
      <summary>As a call</summary>
      <pre tabIndex={0}>{text}</pre>
      <button type="button" onClick={() => void copy(text)}>Copy</button>
    </details>
  );
}

function commandOf(method: string, address: string, body: string | undefined): string {
  const parts = ["curl", method === "GET" ? "" : `-X ${method}`, quoted(`${location.origin}${address}`)];
  if (body !== undefined) parts.push("-H 'Content-Type: application/json'", `-d ${quoted(body)}`);
  return parts.filter(Boolean).join(" ");
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

async function copy(text: string): Promise<void> {
  await navigator.clipboard.writeText(text);
  say("Copied.");
}
