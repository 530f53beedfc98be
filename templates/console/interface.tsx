import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { type InterfaceFacts, isDev, type MapEntry, readFigures, readInterface, readRuns } from "./api.ts";
import { Graph } from "./graph.tsx";
import { useLoaded } from "./load.ts";
import { Facts, Figures, Problem, Status, Value } from "./parts.tsx";
import { addressOf } from "./router.ts";
import { Source } from "./source.tsx";
import { ahead, line, milliseconds, moment } from "./text.ts";
import { TryIt } from "./try.tsx";

interface InterfaceProps {
  readonly config: string;
  readonly target: string;
  readonly entry: MapEntry | undefined;
  /** Changes with each version that `dev` serves. */
  readonly version: number;
}

/** One interface: what it does, the code that is printed of it, how it fares. */
export function InterfacePage({ config, target, entry, version }: InterfaceProps): JSX.Element {
  const { value: facts, problem } = useLoaded(() => readInterface(config, target), [config, target, version]);
  const { value: figures } = useLoaded(() => readFigures({ config, interface: target }), [config, target], 2_000);
  const [current, choose] = useState(0);
  const [figure] = figures ?? [];
  return (
    <main class="interface">
      <nav class="back" aria-label="Where this is">
        <a href={addressOf.map}>Map</a> <span aria-hidden="true">/</span> {line(config)}
      </nav>
      <h1>{line(target)}</h1>
      <Problem of={problem} />
      {facts === undefined ? null : (
        <>
          <p class="place">
            {facts.reached.map(({ text }) => (
              <code key={text}>{line(text)}</code>
            ))}
            <span class="quiet">
              {line(facts.file)}:{facts.line}
            </span>
          </p>
          {facts.summary === undefined ? null : <p class="lead">{line(facts.summary)}</p>}
          {figure === undefined ? null : <Figures of={figure} />}
          <section class="card">
            <h2>Actions</h2>
            <Graph nodes={facts.nodes} current={current} choose={choose} />
          </section>
          <section class="card">
            <h2>YAML and module</h2>
            <Source facts={facts} current={current} choose={choose} />
          </section>
          <Around facts={facts} entry={entry} />
          {isDev ? <TryIt facts={facts} /> : null}
          {entry?.capture === null || entry === undefined ? null : <Latest config={config} target={target} />}
        </>
      )}
    </main>
  );
}

function Around({ facts, entry }: { readonly facts: InterfaceFacts; readonly entry: MapEntry | undefined }): JSX.Element {
  const { needs, schemas } = facts;
  return (
    <section class="card">
      <h2>Around it</h2>
      <div class="columns">
        <Facts title="Callers" lines={facts.callers} />
        <Facts title="Policy" lines={facts.policy} />
        <Facts title="Touches" lines={facts.touches} />
        <Facts
          title="Reads from outside"
          lines={[
            ...needs.env.map((name) => `env ${name}`),
            ...needs.vars.map((name) => `variable ${name}`),
            ...needs.secrets.map((name) => `secret ${name}`),
          ]}
        />
        <Facts title="Next runs" lines={(entry?.next_runs ?? []).map((time) => `${moment(time)}, ${ahead(time)}`)} />
        <Facts title="Warnings" lines={facts.diagnostics.map(({ code, message, line: at }) => `${code} in line ${at}: ${message}`)} />
      </div>
      {Object.keys(schemas).length === 0 ? null : (
        <details>
          <summary>Contract</summary>
          <div class="columns">
            {schemas.params === undefined ? null : <Value label="Parameters" of={schemas.params} />}
            {schemas.input === undefined ? null : <Value label="Input" of={schemas.input} />}
            {schemas.output === undefined ? null : <Value label="Output" of={schemas.output} />}
          </div>
        </details>
      )}
    </section>
  );
}

/** The latest recorded runs of the interface. */
function Latest({ config, target }: { readonly config: string; readonly target: string }): JSX.Element | null {
  const { value } = useLoaded(() => readRuns({ config, interface: target }), [config, target], 5_000);
  const runs = value?.runs.slice(0, 8) ?? [];
  if (runs.length === 0) return null;
  return (
    <section class="card">
      <h2>Latest runs</h2>
      <ul class="latest">
        {runs.map(({ run_uuid, started, status, ms, trigger }) => (
          <li key={`${run_uuid} ${started}`}>
            <a href={addressOf.run(run_uuid)}>
              <Status of={status} /> <span>{moment(started)}</span> <span class="quiet">{line(trigger)}</span>{" "}
              <span>{milliseconds(ms)}</span>
            </a>
          </li>
        ))}
      </ul>
      <p>
        <a href={addressOf.runs({ config, interface: target })}>All runs of it</a>
      </p>
    </section>
  );
}
