// The frame around every page: whose memory this is, the pages, search, light and dark, what is wrong.
import { signal } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";
import { remove } from "./api/client";
import { ERASED, follow } from "./api/events";
import { bind, mention } from "./keys";
import { Minds } from "./minds";
import { LISTED, PAGES } from "./pages";
import { AsCall } from "./parts/as_call";
import { Late, over } from "./parts/late";
import { useHappened } from "./parts/load";
import { Toast, undoLast } from "./parts/toast";
import { go, place, to } from "./router";
import { forgetPerson, forget, isSignedOut, token } from "./session";
import { Standing } from "./standing";
import { switchTheme, theme } from "./theme";

const showsKeys = signal(false);

const keyList = () => import("./key_list");
const signIn = () => import("./sign_in");

export function Shell() {
  const { mind, page } = place.value;
  useEffect(() => {
    const ofMind = mind
      ? [
          bind("/", "ask, or find", () => document.querySelector<HTMLInputElement>("[role=search] input")?.focus()),
          ...LISTED.map((one) => bind(`g ${one.key}`, one.name, () => go(to(mind, one.path)))),
          bind("m", "all minds", () => go(to(""))),
        ]
      : [];
    const bound = [
      ...ofMind,
      bind("u", "take back what was just done", () => void undoLast()),
      bind("?", "this list", () => (showsKeys.value = true)),
      mention("Escape", "close what is open"),
    ];
    return () => bound.forEach((end) => end());
  }, [mind]);
  if (isSignedOut.value) return <Late load={signIn} />;
  return (
    <>
      <a class="skip" href="#main" onClick={toMain}>To the page</a>
      <Top mind={mind} page={page} />
      <main id="main" tabIndex={-1}>
        {mind ? <OnePage key={`${mind} ${page}`} mind={mind} path={page} /> : <Minds />}
      </main>
      <footer>
        <AsCall />
        <p>
          <button type="button" class="link" onClick={() => (showsKeys.value = true)}>Keys</button>
          {!token() && <a href="../docs">The API</a>}
        </p>
      </footer>
      <Toast />
      {showsKeys.value && <Late load={keyList} close={() => (showsKeys.value = false)} />}
    </>
  );
}

function toMain(event: Event): void {
  event.preventDefault(); // the part behind # is the place in the console
  document.getElementById("main")?.focus();
}

function Top({ mind, page }: { mind: string; page: string }) {
  const isDark = theme() === "dark";
  return (
    <header class="top">
      <a class="name" href={to("")} title="All minds">{mind || "Mind Memory"}</a>
      {mind && <Pages mind={mind} page={page} />}
      <div class="top-end">
        {mind && <Search mind={mind} />}
        <Standing />
        <button type="button" onClick={switchTheme} aria-label={isDark ? "Light colours" : "Dark colours"}>
          {isDark ? "☀" : "☾"}
        </button>
        <SignOut />
      </div>
    </header>
  );
}

function SignOut() {
  if (!token()) return null;
  const signOut = async () => {
    await remove("/v1/session").catch(() => undefined);
    forgetPerson();
    forget();
  };
  return <button type="button" onClick={() => void signOut()}>Sign out</button>;
}

function Pages({ mind, page }: { mind: string; page: string }) {
  const nav = useRef<HTMLElement>(null);
  useEffect(() => {
    const shown = nav.current?.querySelector<HTMLElement>("[aria-current]");
    // On a phone the pages are one line, wider than the screen.
    if (nav.current && shown) nav.current.scrollLeft = shown.offsetLeft - (nav.current.clientWidth - shown.offsetWidth) / 2;
  }, [page]);
  return (
    <nav aria-label="Pages" ref={nav}>
      {LISTED.map((one) => (
        <a key={one.path} href={to(mind, one.path)} aria-current={one.path === page ? "page" : undefined}>
          {one.name}
        </a>
      ))}
    </nav>
  );
}

function Search({ mind }: { mind: string }) {
  const find = (event: SubmitEvent) => {
    event.preventDefault();
    const words = new FormData(event.currentTarget as HTMLFormElement).get("words");
    if (words) go(to(mind, "ask", "", { q: String(words) }));
  };
  return (
    <form role="search" onSubmit={find}>
      <input type="search" name="words" placeholder="Ask, or find" aria-label="Ask, or find a memory" />
    </form>
  );
}

function OnePage({ mind, path }: { mind: string; path: string }) {
  const found = PAGES.find((one) => one.path === path);
  useEffect(() => follow(mind), [mind]);
  useEffect(() => {
    document.title = `${found?.name ?? "Nothing here"} · ${mind}`;
  }, [mind, path]);
  const [erasures, setErasures] = useState(0);
  // No part of a page may go on showing what was erased. The page that erases shows its receipt.
  const { part } = place.value;
  useEffect(() => () => void (over.value = null), [part]);
  useHappened([ERASED], () => setErasures((now) => now + 1), () => path !== "erase");
  if (!found) return <section class="page"><h1>Not found</h1><p>There is no such page. <a href={to(mind)}>To the overview</a></p></section>;
  return <><Late key={erasures} load={found.load} mind={mind} />{over.value}</>;
}
