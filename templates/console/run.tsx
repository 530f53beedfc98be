import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { NodeFacts } from "../../runtime/console/facts.ts";
import { type InterfaceFacts, type Run, readInterface, readRun, saveTest } from "./api.ts";
import { Graph } from "./graph.tsx";
import { useLoaded } from "./load.ts";
import { Doing, Problem, Status, Value } from "./parts.tsx";
import { addressOf } from "./router.ts";
import { line, milliseconds, moment, shown } from "./text.ts";

type Action = Run["actions"][number];

/** The page of one recorded run: its actions over time, the input and output of each, and the line that failed. */
export function RunPage({ id }: { readonly id: string }): JSX.Element {
  const { value: run, problem } = useLoaded(() => readRun(id), [id]);
  return (
    <main class="run">
      <nav class="back" aria-label="Where this is">
        <a href={addressOf.runs()}>Runs</a>
      </nav>
      <h1>{run === undefined ? "Run" : line(run.interface)}</h1>
      <Problem of={problem} />
      {run === undefined ? null : <Whole run={run} />}
    </main>
  );
}

function Whole({ run }: { readonly run: Run }): JSX.Element {
  const { value: facts } = useLoaded(() => readInterface(run.config, run.interface), [run.config, run.interface]);
  const nodes = facts?.nodes ?? [];
  const states = new Map(run.actions.map(({ name, status }) => [name, status]));
  return (
    <>
      <p class="place">
        <Status of={run.status} />
        <code>{line(run.request.route === undefined ? run.trigger : `${run.request.method ?? ""} ${run.request.route}`)}</code>
        <span>{moment(run.started)}</span>
        <span>{milliseconds(run.ms)}</span>
        {run.aborted === true ? <span class="mark warns">cut short</span> : null}
        <span class="quiet">{run.run_uuid}</span>
      </p>
      <p class="links">
        <a href={addressOf.interface(run.config, run.interface)}>The interface</a>
        {run.parent === null ? null : <a href={addressOf.run(run.parent)}>The run that started it</a>}
        <Doing does={() => saveTest(run.run_uuid)} done="saved" isQuiet>
          Save as a test
        </Doing>
      </p>
      {(run.errors ?? []).map((error, i) => (
        <p key={i} class="problem">
          {line(error)}
        </p>
      ))}
      <section class="card">
        <h2>Actions over time</h2>
        <Waterfall run={run} nodes={nodes} facts={facts} />
      </section>
      {nodes.length === 0 ? null : (
        <section class="card">
          <h2>Graph</h2>
          <Graph nodes={nodes} states={states} />
        </section>
      )}
      <section class="card">
        <h2>Request</h2>
        <div class="columns">
          <Value label="Parameters" of={run.request.params} />
          <Value label="Headers" of={run.request.headers} />
          <Value label="Body" of={run.request.body} />
        </div>
      </section>
      <Exchanges run={run} />
    </>
  );
}

/**
 * The actions as bars. The record has only the duration of each action. Its start is worked out from the graph: an action begins when the
 * last action that it waits for has ended.
 */
function Waterfall({
  run,
  nodes,
  facts,
}: {
  readonly run: Run;
  readonly nodes: readonly NodeFacts[];
  readonly facts: InterfaceFacts | undefined;
}): JSX.Element {
  // The first failed action is opened: users look for it, since the other failures follow from it.
  const [first] = run.actions.filter(({ status }) => status === "failed");
  const [open, setOpen] = useState(() => new Set(first === undefined ? [] : [first.name]));
  const begins = beginnings(run.actions, nodes);
  const whole = Math.max(run.ms, 1, ...run.actions.map(({ name, ms }) => (begins.get(name) ?? 0) + ms));
  const toggle = (name: string): void =>
    setOpen((before) => new Set(before.has(name) ? [...before].filter((each) => each !== name) : [...before, name]));
  if (run.actions.length === 0) return <p class="quiet">No action was to run.</p>;
  return (
    <ol class="waterfall">
      {run.actions.map((action) => {
        const [left, width] = [((begins.get(action.name) ?? 0) / whole) * 100, (action.ms / whole) * 100];
        const isOpen = open.has(action.name);
        return (
          <li key={action.name} class={action.status}>
            <button type="button" aria-expanded={isOpen} onClick={() => toggle(action.name)}>
              <span class="name">{line(action.name)}</span>
              <span class="track" aria-hidden="true">
                {action.status === "skipped" ? null : (
                  <span class="bar" style={{ left: `${Math.min(left, 99)}%`, width: `${Math.max(width, 0.6)}%` }} />
                )}
              </span>
              <span class="state">{action.status}</span>
              <span class="ms">{milliseconds(action.ms)}</span>
            </button>
            {isOpen ? <Details action={action} facts={facts} /> : null}
          </li>
        );
      })}
    </ol>
  );
}

function beginnings(actions: readonly Action[], nodes: readonly NodeFacts[]): ReadonlyMap<string, number> {
  const took = new Map(actions.map(({ name, ms }) => [name, ms]));
  const byName = new Map(nodes.map((node) => [node.name, node]));
  const begins = new Map<string, number>();
  const begin = (name: string, depth: number): number => {
    const known = begins.get(name);
    if (known !== undefined || depth > nodes.length) return known ?? 0;
    const after = byName.get(name)?.after ?? [];
    const found = Math.max(0, ...after.map((each) => begin(each.name, depth + 1) + (took.get(each.name) ?? 0)));
    begins.set(name, found);
    return found;
  };
  for (const { name } of actions) begin(name, 0);
  return begins;
}

function Details({ action, facts }: { readonly action: Action; readonly facts: InterfaceFacts | undefined }): JSX.Element {
  const errors = [...(action.error === undefined ? [] : [action.error]), ...(action.errors ?? [])];
  return (
    <div class="details">
      {errors.map((error, i) => (
        <p key={i} class="problem">
          {line(error)}
        </p>
      ))}
      {action.at === undefined ? null : <Frame at={action.at} facts={facts} />}
      <div class="columns">
        {action.input === undefined ? null : <Value label="Began with" of={action.input} />}
        {action.data === undefined ? <p class="quiet">Its data are not kept.</p> : <Value label="Data" of={action.data} />}
      </div>
    </div>
  );
}

/** Lines around the one that failed. */
const around = 3;

/** The line of the YAML at which an action failed, with those around it. */
function Frame({ at, facts }: { readonly at: string; readonly facts: InterfaceFacts | undefined }): JSX.Element {
  const [, number = ""] = /:(\d+):\d+$/.exec(at) ?? [];
  const failed = Number(number);
  const { first, lines } = facts?.yaml ?? { first: 1, lines: [] };
  const near = lines.map((text, i) => ({ text, line: first + i })).filter((each) => Math.abs(each.line - failed) <= around);
  return (
    <figure class="frame">
      <figcaption>{line(at)}</figcaption>
      {near.length === 0 ? null : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
        <pre tabIndex={0}>
          {near.map((each) => (
            <span key={each.line} class={each.line === failed ? "failed" : ""}>
              {`${String(each.line).padStart(4)}  ${shown(each.text)}\n`}
            </span>
          ))}
        </pre>
      )}
    </figure>
  );
}

/** The calls of services and the queries of the run, in the order in which they ended. */
function Exchanges({ run }: { readonly run: Run }): JSX.Element | null {
  const exchanges = run.exchanges ?? [];
  if (exchanges.length === 0) return null;
  return (
    <section class="card">
      <h2>Calls and queries</h2>
      <ol class="exchanges">
        {exchanges.map((each, i) => (
          <li key={i}>
            <details>
              <summary>
                {each.status === undefined ? null : <Status of={each.status} />}
                <code>{line(each.call ?? each.query ?? "")}</code>
                {each.fails === undefined ? null : <span class="mark warns">{each.fails}</span>}
                {each.database === undefined ? null : <span class="mark">{line(each.database)}</span>}
              </summary>
              {each.error === undefined ? null : <p class="problem">{line(each.error)}</p>}
              {each.hidden === true ? <p class="quiet">Its answer is not kept.</p> : null}
              {each.params === undefined ? null : <Value label="Parameters" of={each.params} />}
              {each.body === undefined && each.rows === undefined ? null : <Value label="Answer" of={each.body ?? each.rows} />}
            </details>
          </li>
        ))}
      </ol>
    </section>
  );
}
