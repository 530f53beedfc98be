import { type JSX, render } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { type DevState, isDev, keepKey, readDev, readMap, readNeeds, storedKey } from "./api.ts";
import { Brand } from "./brand.tsx";
import { ClusterPage } from "./cluster.tsx";
import { InterfacePage } from "./interface.tsx";
import { refusedKey, useLoaded } from "./load.ts";
import { MapPage } from "./map.tsx";
import { Problem } from "./parts.tsx";
import { ProblemsPage } from "./problems.tsx";
import { addressOf, type Place, usePlace } from "./router.ts";
import { RunPage } from "./run.tsx";
import { RunsPage } from "./runs.tsx";
import { line } from "./text.ts";
import { WaitingPage } from "./waiting.tsx";
import "./theme.css";
import "./page.css";
import "./graph.css";
import "./dev.css";

function Console(): JSX.Element {
  const [key, setKey] = useState(storedKey());
  const [said, setSaid] = useState("");
  useEffect(() => {
    const refuse = (): void => {
      if (storedKey() !== "") setSaid("This key is not known here.");
      keepKey("");
      setKey("");
    };
    refusedKey.addEventListener("refused", refuse);
    return () => refusedKey.removeEventListener("refused", refuse);
  }, []);
  const enter = (text: string): void => {
    setSaid("");
    keepKey(text);
    setKey(text);
  };
  return isDev || key !== "" ? <Shell leave={() => enter("")} /> : <SignIn said={said} enter={enter} />;
}

function SignIn({ said, enter }: { readonly said: string; readonly enter: (key: string) => void }): JSX.Element {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  return (
    <main class="sign-in">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          enter(field.current?.value.trim() ?? "");
        }}
      >
        <h1>
          <Brand /> console
        </h1>
        <p>
          <label for="key">API key of the organisation</label>
          <input id="key" type="password" ref={field} required autocomplete="off" aria-describedby="key-note" />
        </p>
        <p id="key-note" class="quiet">
          One of <code>PIPEWRIGHT_API_KEYS</code>. It stays in this tab.
        </p>
        {said === "" ? null : (
          <p class="problem" role="alert">
            {said}
          </p>
        )}
        <button type="submit">Open</button>
      </form>
    </main>
  );
}

function Shell({ leave }: { readonly leave: () => void }): JSX.Element {
  const place = usePlace();
  const { value: dev } = useLoaded(() => (isDev ? readDev() : Promise.resolve(undefined)), [], isDev ? 1_000 : undefined);
  const version = dev?.version ?? 0;
  const { value: map, problem } = useLoaded(readMap, [version], 30_000);
  const { value: needs = [] } = useLoaded(readNeeds, [version], 30_000);
  const [isHelping, setHelping] = useState(false);
  useKeys(() => setHelping(true));
  const found = (dev?.diagnostics.length ?? 0) + (dev?.unmet.length ?? 0);
  const name = titleOf(place);
  useEffect(() => {
    document.title = `${name} · pipewright`;
  }, [name]);
  return (
    <>
      <header>
        <a class="home" href={addressOf.map}>
          <Brand />
        </a>
        <nav aria-label="Pages">
          <Tab to={addressOf.map} isHere={place.at === "map" || place.at === "interface"}>
            Map
          </Tab>
          <Tab to={addressOf.runs()} isHere={place.at === "runs" || place.at === "run"}>
            Runs
          </Tab>
          <Tab to={addressOf.waiting} isHere={place.at === "waiting"}>
            Waiting
          </Tab>
          <Tab to={addressOf.cluster} isHere={place.at === "cluster"}>
            Cluster
          </Tab>
          {isDev ? (
            <Tab to={addressOf.problems} isHere={place.at === "problems"}>
              {`Problems${found === 0 ? "" : ` ${found}`}`}
            </Tab>
          ) : null}
        </nav>
        <p class="environment">{map === undefined ? "" : line(map.environment)}</p>
        <button type="button" class="quiet-button" onClick={() => setHelping(true)} aria-label="Keys">
          ?
        </button>
        {isDev ? null : (
          <button type="button" class="quiet-button" onClick={leave}>
            Leave
          </button>
        )}
      </header>
      {dev?.isBroken === true && place.at !== "problems" ? (
        <p class="banner" role="alert">
          What was saved last is not served. <a href={addressOf.problems}>See the problems</a>
        </p>
      ) : null}
      <Problem of={problem} />
      {isDev && dev === undefined ? <p class="boot">Loading …</p> : <Page {...{ place, map, needs, dev }} />}
      {isHelping ? <Help close={() => setHelping(false)} /> : null}
    </>
  );
}

const titleOf = (place: Place): string => {
  switch (place.at) {
    case "map":
      return "Map";
    case "interface":
      return line(place.target);
    case "runs":
      return "Runs";
    case "run":
      return `Run ${place.id.slice(0, 8)}`;
    case "waiting":
      return "Waiting runs";
    case "cluster":
      return "Cluster";
    case "problems":
      return "Problems";
  }
};

interface PageProps {
  readonly place: Place;
  readonly map: Awaited<ReturnType<typeof readMap>> | undefined;
  readonly needs: Awaited<ReturnType<typeof readNeeds>>;
  readonly dev: DevState | undefined;
}

function Page({ place, map, needs, dev }: PageProps): JSX.Element {
  switch (place.at) {
    case "map":
      return map === undefined ? <p class="boot">Loading …</p> : <MapPage entries={map.entries} needs={needs} />;
    case "interface": {
      const { config, target } = place;
      const entry = map?.entries.find((each) => each.config === config && each.interface === target);
      return <InterfacePage key={`${config} ${target}`} {...{ config, target, entry }} version={dev?.version ?? 0} />;
    }
    case "runs":
      return <RunsPage filters={place.filters} />;
    case "run":
      return <RunPage key={place.id} id={place.id} />;
    case "waiting":
      return <WaitingPage />;
    case "cluster":
      return <ClusterPage />;
    case "problems":
      return <ProblemsPage state={dev} />;
  }
}

const Tab = ({ to, isHere, children }: { readonly to: string; readonly isHere: boolean; readonly children: string }): JSX.Element => (
  <a href={to} {...(isHere ? { "aria-current": "page" as const } : {})}>
    {children}
  </a>
);

/** Keys that work everywhere except in input fields. */
const keys: readonly (readonly [key: string, does: string])[] = [
  ["/", "search"],
  ["m", "map"],
  ["r", "runs"],
  ["w", "waiting runs"],
  ["c", "cluster"],
  ["p", "problems (in dev)"],
  ["↓ ↑", "move in a list, or in the lines of a file"],
  ["Enter", "open"],
  ["Esc", "back"],
  ["?", "these keys"],
];

function useKeys(help: () => void): void {
  useEffect(() => {
    const pressed = (event: KeyboardEvent): void => {
      const isField = event.target instanceof HTMLElement && event.target.closest("input, textarea, select") !== null;
      if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]") !== null) return;
      if (event.key === "Escape") {
        if (isField) (event.target as HTMLElement).blur();
        else if (/^#\/(?:interface|run)\//.test(location.hash)) history.back();
        return;
      }
      if (isField) return;
      const search = document.getElementById("search");
      const go = {
        m: addressOf.map,
        r: addressOf.runs(),
        w: addressOf.waiting,
        c: addressOf.cluster,
        ...(isDev ? { p: addressOf.problems } : {}),
      }[event.key];
      if (event.key === "?") help();
      else if (event.key === "/" && search !== null) search.focus();
      else if (go !== undefined) location.hash = go;
      else if (!passToList(event)) return;
      event.preventDefault();
    };
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  }, []);
}

/** Passes a key that moves in lists to the list of the page when no element has the focus. */
function passToList({ key, target }: KeyboardEvent): boolean {
  const list = document.querySelector<HTMLElement>(".list");
  if (list === null || target !== document.body || !["ArrowDown", "ArrowUp", "j", "k", "Home", "End"].includes(key)) return false;
  list.focus();
  list.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
  return true;
}

function Help({ close }: { readonly close: () => void }): JSX.Element {
  const box = useRef<HTMLDialogElement>(null);
  useEffect(() => box.current?.showModal(), []);
  return (
    <dialog ref={box} onClose={close} aria-labelledby="keys">
      <h2 id="keys">Keys</h2>
      <dl>
        {keys.map(([key, does]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <form method="dialog">
        <button type="submit">Close</button>
      </form>
    </dialog>
  );
}

const app = document.getElementById("app");
if (app !== null) {
  app.replaceChildren();
  render(<Console />, app);
}
