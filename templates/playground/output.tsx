import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Graph } from "../console/graph.tsx";
import { type Piece, paintCode } from "../console/source.tsx";
import { line, milliseconds, plural, shown } from "../console/text.ts";
import { type Outcome, times } from "./client.ts";
import type { Compiled, Shown } from "./compiled.ts";
import type { Spot } from "./editor.tsx";

interface OutputProps {
  readonly outcome: Outcome | undefined;
  /** Shows a spot of a file in the editor. */
  readonly go: (file: string, spot: Spot) => void;
  readonly mend: (fix: NonNullable<Shown["fix"]>) => void;
}

const tabs = ["Problems", "Module", "Graph"] as const;
type Tab = (typeof tabs)[number];

/** The result of the compile: diagnostics, the printed module, the graph of its actions. */
export function Output({ outcome, go, mend }: OutputProps): JSX.Element {
  const [chosen, setTab] = useState<Tab>("Module");
  const kept = useRef<Compiled>(undefined);
  if (outcome?.is === "compiled") kept.current = outcome.compiled;
  const compiled = kept.current;
  const isFailed = compiled?.modules.length === 0;
  // Errors open the tab of problems, unless the user has chosen another tab.
  const tab = isFailed && chosen === "Module" ? "Problems" : chosen;
  const count = compiled?.diagnostics.length ?? 0;
  const keys = (event: KeyboardEvent): void => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const next = tabs[(tabs.indexOf(tab) + step + tabs.length) % tabs.length] ?? "Module";
    setTab(next);
    document.getElementById(`tab-${next}`)?.focus();
  };
  return (
    <section class="output" aria-label="Result">
      <div class="bar">
        <div role="tablist" aria-label="Result" onKeyDown={keys}>
          {tabs.map((name) => (
            <button
              key={name}
              type="button"
              role="tab"
              id={`tab-${name}`}
              aria-controls="panel"
              aria-selected={name === tab}
              tabIndex={name === tab ? 0 : -1}
              onClick={() => setTab(name)}
            >
              {name}
              {name === "Problems" && count > 0 ? <span class={`count ${isFailed ? "error" : "warning"}`}>{count}</span> : null}
            </button>
          ))}
        </div>
        <p id="summary" role="status">
          {summaryOf(outcome)}
        </p>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys */}
      <div id="panel" role="tabpanel" aria-labelledby={`tab-${tab}`} tabIndex={0} class={outcome?.is === "compiled" ? "" : "old"}>
        {compiled === undefined ? (
          <p class="empty">{outcome === undefined ? "Loading the compiler …" : ""}</p>
        ) : tab === "Problems" ? (
          <Problems {...{ compiled, go, mend }} />
        ) : tab === "Module" ? (
          <Module compiled={compiled} />
        ) : (
          <Graphs compiled={compiled} go={go} />
        )}
      </div>
    </section>
  );
}

function summaryOf(outcome: Outcome | undefined): ComponentChildren {
  switch (outcome?.is) {
    case undefined:
      return "";
    case "stopped":
      return <span class="bad">Stopped after {times.compile / 1_000} seconds. It is tried again when the text changes.</span>;
    case "broken":
      return <span class="bad">{line(outcome.reason)}</span>;
    case "compiled":
      return `${outcome.compiled.summary === "" ? "No problems" : outcome.compiled.summary} · ${milliseconds(Math.round(outcome.ms))}`;
  }
}

function Problems({ compiled, go, mend }: { readonly compiled: Compiled } & Pick<OutputProps, "go" | "mend">): JSX.Element {
  if (compiled.diagnostics.length === 0) return <p class="empty">Nothing is wrong.</p>;
  return (
    <>
      {compiled.diagnostics.map((each, i) => (
        <article key={i} class={`finding ${each.severity}`}>
          <h2>
            <span class="severity">{each.severity}</span> {line(each.message)}
          </h2>
          <button type="button" class="place" onClick={() => go(each.file, { start: each.start, end: each.end })}>
            {`${line(each.file)}:${each.line}:${each.column}`}
          </button>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys */}
          {each.frame === "" ? null : <pre tabIndex={0}>{shown(each.frame)}</pre>}
          {each.hint === undefined ? null : (
            <p class="hint">
              <b>Remedy:</b> {line(each.hint)}
            </p>
          )}
          <Fix of={each} mend={mend} />
          <details>
            <summary>{each.code}: what it means</summary>
            <Page text={compiled.pages[each.code] ?? ""} />
          </details>
        </article>
      ))}
    </>
  );
}

function Fix({ of, mend }: { readonly of: Shown; readonly mend: OutputProps["mend"] }): JSX.Element | null {
  const { fix } = of;
  return fix === undefined ? null : (
    <button type="button" class="quiet-button" onClick={() => mend(fix)}>
      Fix: {line(fix.title)}
    </button>
  );
}

/** The page of a code: texts, and examples between fences. */
const Page = ({ text }: { readonly text: string }): JSX.Element => (
  <div class="page">
    {text.split(/^```\w*\n/m).map((part, i) =>
      part.trim() === "" ? null : i % 2 === 1 ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
        <pre key={i} tabIndex={0}>
          {part.trimEnd()}
        </pre>
      ) : (
        part
          .trim()
          .split(/\n{2,}/)
          .map((words, n) => <p key={`${i} ${n}`}>{words}</p>)
      ),
    )}
  </div>
);

const Line = ({ pieces }: { readonly pieces: readonly Piece[] }): JSX.Element => (
  <>
    {pieces.map(([kind, part], n) => (
      <span key={n} class={kind}>
        {part}
      </span>
    ))}
  </>
);

/** The largest number of module lines that are coloured. A longer module is copied rather than read. */
const mostLines = 5_000;

function Module({ compiled }: { readonly compiled: Compiled }): JSX.Element {
  const { modules, unproven, filters } = compiled;
  if (modules.length === 0) return <p class="empty">A module is printed when there are no errors.</p>;
  return (
    <>
      <Limits unproven={unproven} filters={filters} />
      {modules.map(({ file, name, code }) => (
        <section key={file} class="module">
          <div class="title">
            <h2>{`${name}.ts`}</h2>
            <Copy text={code} />
          </div>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys */}
          <pre tabIndex={0}>
            {code.split("\n").map((text, i) => (
              <span key={i}>
                {i === 0 ? "" : "\n"}
                {i < mostLines ? <Line pieces={paintCode(text)} /> : text}
              </span>
            ))}
          </pre>
        </section>
      ))}
    </>
  );
}

/** Notes on how `generate` may treat this project differently. */
const Limits = ({ unproven, filters }: Pick<Compiled, "unproven" | "filters">): JSX.Element | null =>
  unproven + filters === 0 ? null : (
    <p class="limits">
      {unproven === 0
        ? ""
        : `${plural(unproven, "pattern")} may be a literal of JavaScript in what generate prints, which proves first that it is linear. `}
      {filters === 0 ? "" : `${plural(filters, "filter")} of jq: check also asks jq itself.`}
    </p>
  );

function Copy({ text }: { readonly text: string }): JSX.Element {
  const [said, setSaid] = useState("");
  useEffect(() => setSaid(""), [text]);
  const copy = (): void => {
    navigator.clipboard?.writeText(text).then(
      () => setSaid("copied"),
      () => setSaid("not allowed here"),
    );
  };
  return (
    <span class="copy">
      <span role="status">{said}</span>
      <button type="button" class="quiet-button" onClick={copy}>
        Copy
      </button>
    </span>
  );
}

function Graphs({ compiled, go }: { readonly compiled: Compiled } & Pick<OutputProps, "go">): JSX.Element {
  if (compiled.graphs.length === 0) return <p class="empty">The graph is drawn when there are no errors.</p>;
  return (
    <>
      {compiled.graphs.map((each) => (
        <section key={`${each.file} ${each.interface}`} class="drawn">
          <h2>{line(each.interface)}</h2>
          <p class="quiet">{each.reached.map(({ text }) => line(text)).join(", ")}</p>
          <Graph nodes={each.nodes} choose={(at) => go(each.file, { line: at })} />
        </section>
      ))}
    </>
  );
}
