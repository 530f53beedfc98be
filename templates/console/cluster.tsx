import type { JSX } from "preact";
import type { Cluster, ClusterNode } from "./cluster-api.ts";
import { readCluster } from "./cluster-api.ts";
import { useLoaded } from "./load.ts";
import { Fact, Problem } from "./parts.tsx";
import { ago, line, milliseconds, moment, plural } from "./text.ts";
import "./cluster.css";

/** Milliseconds of lag from which the page warns: an operator should look at the database. */
const lateMs = 1_000;

/** The page of the nodes: what each node holds, and what waits in the queue. */
export function ClusterPage(): JSX.Element {
  const { value: cluster, problem } = useLoaded(readCluster, [], 3_000);
  return (
    <main class="cluster">
      <h1>Cluster</h1>
      <Problem of={problem} />
      {cluster === undefined ? null : (
        <>
          <p class="lead" role="status">
            {summaryOf(cluster)}
          </p>
          <Queue of={cluster} />
          <Nodes of={cluster} />
          <Versions of={cluster} />
          <Leases of={cluster} />
        </>
      )}
    </main>
  );
}

const stores = { memory: "the memory of this process", sqlite: "a file of SQLite on this machine", postgres: "PostgreSQL" } as const;

function summaryOf({ store, clustered, nodes }: Cluster): string {
  const versions = new Set(nodes.map(({ bundle }) => bundle)).size;
  const served = versions > 1 ? `${plural(versions, "version")} are served at once` : "all of one version";
  if (store === "memory") return `One process. State and durable runs are in ${stores.memory}, and nobody else sees them.`;
  const what = nodes.length === 0 ? "No process has said yet that it serves" : `${plural(nodes.length, "process", "processes")}, ${served}`;
  return `${what}. They share ${stores[store]}${clustered ? ", and are started as nodes of a cluster" : ""}.`;
}

/** The lag of the slowest node, where the nodes have a bus. */
function Queue({ of: { queue, nodes, now } }: { readonly of: Cluster }): JSX.Element | null {
  const buses = nodes.flatMap(({ bus }) => bus ?? []);
  const lags = buses.flatMap(({ lag_ms }) => lag_ms ?? []);
  const lost = buses.reduce((sum, each) => Math.max(sum, each.lost), 0);
  const apart = buses.filter(({ connected }) => !connected).length;
  if (queue === null && buses.length === 0) return null;
  const oldest = queue?.due.first ?? null;
  return (
    <section class="card">
      <h2>Queue and bus</h2>
      <dl class="figures">
        {queue === null ? null : (
          <>
            <Fact name="Runs due" value={queue.due.count.toLocaleString("en")} />
            {oldest === null ? null : <Fact name="The oldest is due" value={ago(oldest, now)} />}
            <Fact name="Under way" value={queue.held.count.toLocaleString("en")} />
            <Fact name="Asleep" value={queue.sleeping.count.toLocaleString("en")} />
            <Fact name="Waiting for a callback" value={queue.waiting.count.toLocaleString("en")} />
          </>
        )}
        {lags.length === 0 ? null : (
          <Fact name="Lag of the bus" value={milliseconds(Math.max(...lags))} isBad={Math.max(...lags) >= lateMs} />
        )}
        {buses.length === 0 ? null : <Fact name="Messages lost" value={lost.toLocaleString("en")} isBad={lost > 0} />}
        {apart === 0 ? null : <Fact name="Nodes without the bus" value={apart.toLocaleString("en")} isBad />}
      </dl>
    </section>
  );
}

function Nodes({ of: { nodes, self, now } }: { readonly of: Cluster }): JSX.Element {
  const hasRuns = nodes.some(({ runs }) => runs !== undefined);
  const hasBus = nodes.some(({ bus }) => bus !== undefined);
  return (
    <section class="card">
      <h2>Nodes</h2>
      <div class="table">
        <table>
          <thead>
            <tr>
              <th scope="col">Node</th>
              <th scope="col">Machine</th>
              <th scope="col">Process</th>
              <th scope="col">Version</th>
              <th scope="col">Since</th>
              {hasRuns ? <th scope="col">Runs held</th> : null}
              {hasBus ? <th scope="col">Bus lag</th> : null}
              <th scope="col">Last word</th>
            </tr>
          </thead>
          <tbody>
            {nodes.map((node) => (
              <tr key={node.node}>
                <td data-label="Node">
                  <span>
                    <code title={line(node.node)}>{line(node.node.slice(0, 8))}</code>
                    {node.node === self ? <span class="mark">this one</span> : null}
                  </span>
                </td>
                <td data-label="Machine">{line(node.machine)}</td>
                <td data-label="Process">{`${node.pid}${node.worker === undefined ? "" : `, worker ${line(node.worker)}`}`}</td>
                <td data-label="Version">
                  <span>
                    <code title={line(node.bundle)}>{shortBundle(node.bundle)}</code> <span class="quiet">{line(node.version)}</span>
                  </span>
                </td>
                <td data-label="Since">{moment(node.started)}</td>
                {hasRuns ? <td data-label="Runs held">{(node.runs ?? 0).toLocaleString("en")}</td> : null}
                {hasBus ? (
                  <td data-label="Bus lag">
                    <Lag of={node} />
                  </td>
                ) : null}
                <td data-label="Last word">{ago(node.seen, now)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function Lag({ of: { bus } }: { readonly of: ClusterNode }): JSX.Element {
  if (bus === undefined) return <span class="quiet">none</span>;
  if (!bus.connected) return <span class="bad">not connected</span>;
  if (bus.lag_ms === null) return <span class="quiet">no figure yet</span>;
  return <span class={bus.lag_ms >= lateMs ? "bad" : ""}>{milliseconds(bus.lag_ms)}</span>;
}

/** Unfinished runs by the version that has accepted them. Runs of a version that no node serves may be stuck. */
function Versions({ of: { bundles, nodes } }: { readonly of: Cluster }): JSX.Element | null {
  if (bundles.length === 0) return null;
  return (
    <section class="card">
      <h2>Runs by version</h2>
      <div class="table">
        <table>
          <thead>
            <tr>
              <th scope="col">Version</th>
              <th scope="col">Runs not over</th>
              <th scope="col">Served by</th>
            </tr>
          </thead>
          <tbody>
            {bundles.map(({ bundle, runs }) => {
              const served = nodes.filter((node) => node.bundle === bundle).length;
              return (
                <tr key={bundle}>
                  <td data-label="Version">
                    <code title={line(bundle)}>{shortBundle(bundle)}</code>
                  </td>
                  <td data-label="Runs not over">{runs.toLocaleString("en")}</td>
                  <td data-label="Served by">
                    {served === 0 ? "no node: another version goes on where the rest is the same" : plural(served, "node")}
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function Leases({ of: { leases, nodes, store } }: { readonly of: Cluster }): JSX.Element | null {
  if (store === "memory") return null;
  const known = new Set(nodes.map(({ node }) => node));
  return (
    <section class="card">
      <h2>Leases</h2>
      {leases.length === 0 ? (
        <p class="quiet">No node has a sole right now. A schedule that allows no overlap takes one while it runs.</p>
      ) : null}
      {leases.length === 0 ? null : (
        <div class="table">
          <table>
            <thead>
              <tr>
                <th scope="col">Right</th>
                <th scope="col">Node</th>
                <th scope="col">Until</th>
              </tr>
            </thead>
            <tbody>
              {leases.map(({ name, node, until }) => (
                <tr key={name}>
                  <td data-label="Right">{line(name)}</td>
                  <td data-label="Node">
                    <span>
                      <code title={line(node)}>{line(node.slice(0, 8))}</code>
                      {known.has(node) ? null : <span class="mark warns">not among the nodes</span>}
                    </span>
                  </td>
                  <td data-label="Until">{moment(until)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}

/** The beginning of a hash is enough to recognise a bundle. The bundle of a checkout has a word in place of a hash. */
const shortBundle = (bundle: string): string => line(bundle.slice(0, 12));
