// An empty memory, and three ways to begin.
import { useEffect, useState } from "preact/hooks";
import { Problem, raw } from "./api/client";
import { Trouble } from "./parts/load";
import { asProblem } from "./parts/load";
import { go, to } from "./router";

const FIRST_MIND = "global-user-memory";

export default function Begin() {
  return (
    <section class="page begin">
      <h1>This memory is empty.</h1>
      <p class="lead">Three ways to begin:</p>
      <ul class="cards">
        <li class="card">
          <h2><a href={to(FIRST_MIND, "talk")}>Talk to it</a></h2>
          <p>Say a few things, begin a new conversation, and see what comes back.</p>
        </li>
        <li class="card">
          <h2><a href={to(FIRST_MIND, "moving")}>Drop an export</a></h2>
          <p>Conversations with ChatGPT or Claude, or of your own bot. You see what is in the file before anything is kept.</p>
        </li>
        <Example />
      </ul>
    </section>
  );
}

interface Loading {
  mind_id: string;
  state: "loading" | "ready";
  turns: number;
  of: number;
}

const LOOK_MS = 700;

function Example() {
  const [loading, setLoading] = useState<Loading | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const ask = async (method: "get" | "post") => {
    try {
      setLoading((await (await raw(method, "/v1/example")).json()) as Loading);
    } catch (error) {
      setProblem(asProblem(error));
    }
  };
  useEffect(() => {
    if (!loading) return;
    if (loading.turns >= loading.of || loading.state === "ready") go(to(loading.mind_id));
    const timer = setTimeout(() => void ask("get"), LOOK_MS);
    return () => clearTimeout(timer);
  }, [loading]);
  return (
    <li class="card">
      <h2><button type="button" class="link" onClick={() => void ask("post")}>Show me an example life</button></h2>
      <p>Seven months with Ann, who is made up. It is marked as an example, and gone with one click.</p>
      {loading && (
        <p role="status">
          <progress max={loading.of} value={loading.turns} aria-label="Turns kept" /> {loading.turns} of {loading.of} turns
        </p>
      )}
      {problem && <Trouble problem={problem} />}
    </li>
  );
}
