import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { type InterfaceFacts, isDev, type MapEntry, readFigures, readInterface, readRuns } from "./api.ts";
import type { Covered } from "./dev-api.ts";
import { Graph } from "./graph.tsx";
import { useLoaded } from "./load.ts";
import { Facts, Figures, Problem, Status, Value } from "./parts.tsx";
import { addressOf } from "./router.ts";
import { Source } from "./source.tsx";
import { Tests, useTests } from "./tests.tsx";
import { ahead, line, milliseconds, moment } from "./text.ts";
import { TryIt } from "./try.tsx";

interface InterfaceProps {
  readonly config: string;
  readonly target: string;
  readonly entry: MapEntry | undefined;
  /** Changes with each version that `dev` serves. */
  readonly version: number;
}

/** The page of one interface: its facts, its printed code, and figures of its runs. */
export function InterfacePage({ config, target, entry, version }: InterfaceProps): JSX.Element {
  const { value: facts, problem } = useLoaded(() => readInterface(config, target), [config, target, version], undefined, true);
  const { value: figures } = useLoaded(() => readFigures({ config, interface: target }), [config, target], 2_000);
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
          {isDev ? <Painted {...{ facts, version }} /> : <Pictures facts={facts} />}
          <Around facts={facts} entry={entry} />
          {isDev ? <TryIt facts={facts} /> : null}
          {entry?.capture === null || entry === undefined ? null : <Latest config={config} target={target} />}
        </>
      )}
    </main>
  );
}

/** The graph beside the YAML, with the coverage by tests where it is known. */
function Pictures({ facts, covered }: { readonly facts: InterfaceFacts; readonly covered?: Covered | undefined }): JSX.Element {
  const [current, choose] = useState(0);
  return (
    <>
      <section class="card">
        <h2>Actions</h2>
        <Graph nodes={facts.nodes} current={current} choose={choose} {...(covered && { ran: covered.actions })} />
      </section>
      <section class="card">
        <h2>YAML and module</h2>
        <Source facts={facts} current={current} choose={choose} {...(covered && { covered: covered.lines })} />
      </section>
    </>
  );
}

/** The same pictures in `dev`, where tests can be run. */
function Painted({ facts, version }: { readonly facts: InterfaceFacts; readonly version: number }): JSX.Element {
  const testing = useTests(facts.config, facts.interface, version);
  const { covered } = testing;
  return (
    <>
      <Pictures facts={facts} covered={covered?.isStale === false ? covered : undefined} />
      <Tests {...testing} />
    </>
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
