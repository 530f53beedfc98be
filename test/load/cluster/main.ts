import { parseArgs } from "node:util";
import { type BusAccount, runBus } from "./bus.ts";
import { runCluster } from "./cluster.ts";
import { compare } from "./compare.ts";
import { fanOut, storeCost } from "./figures.ts";
import { type ClusterAccount, type Fault, faults, nodeFaults } from "./options.ts";

// `npm run cluster`: nodes, callers and faults on the PostgreSQL of this machine, and the account of what has become of the runs.

const usage = `Starts nodes that share a database, asks them for runs of five actions, and kills, ends and stops them meanwhile, puts other
versions in their place, cuts them off the network (as root, with iproute2), or lets the database crash.

  npm run cluster
  npm run cluster -- --runs 20000 --faults kill --every 300 --seed 7
  npm run cluster -- --nodes 4 --faults kill,stop
  npm run cluster -- --faults crash --every 3000
  npm run cluster -- --faults deploy,cut --nodes 4
  npm run cluster -- --faults failover --every 8000
  npm run cluster -- --compare --runs 2000 --callers 64
  npm run cluster -- --figures --nodes 3
  npm run cluster -- --bus --nodes 4 --rate 2500 --minutes 10 --every 5000

  --nodes N      nodes that serve (3)
  --runs N       runs that are to be accepted (1000)
  --callers N    callers at the same time (16)
  --faults LIST  of ${faults.join(", ")}; none for no faults (kill,term)
  --every MS     milliseconds between two faults (2000)
  --down MS      milliseconds for which the database is away after a crash (1000)
  --async        the database of the fault failover does not wait for its standby: what is lost then is printed, and no promise is broken
  --seed N       the seed of all that is drawn by chance (1)
  --server URL   the server of PostgreSQL (PIPEWRIGHT_TEST_POSTGRES, else postgres://postgres@127.0.0.1:5432/postgres);
                 with the faults crash, cut and failover own ones, by the initdb and postgres of this machine

  --compare      no faults: the same runs by pipewright, graphile-worker and pg-boss, one process each
  --figures      no faults: messages a second to all nodes, and what a store costs an interface that does not use it
  --rounds N     rounds of --compare and --figures, of which the medians count (3)
  --bus          nodes that publish to the bus, while the connection of one of them is ended every so often
  --rate N       messages that each node publishes a second (2500)
  --minutes N    how long they do (1)

Ends with 1 when a promise was broken, or the end of a node in good order took too long.`;

const text = { type: "string" } as const;
const { values } = parseArgs({
  options: {
    ...{ nodes: text, runs: text, callers: text, faults: text, every: text, down: text, seed: text, server: text },
    ...{ rate: text, minutes: text, bus: { type: "boolean", default: false } },
    ...{ rounds: text, compare: { type: "boolean", default: false }, figures: { type: "boolean", default: false } },
    async: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});

function number(name: "nodes" | "runs" | "callers" | "every" | "down" | "seed" | "rounds" | "rate" | "minutes", preset: number): number {
  const value = Number(values[name] ?? preset);
  if (!Number.isInteger(value) || value < 1) {
    console.error(`--${name} must be a whole number from 1 on`);
    process.exit(64);
  }
  return value;
}

function chosenFaults(list: string): readonly Fault[] {
  return list
    .split(",")
    .filter((word) => word !== "none")
    .map((word) => {
      const fault = faults.find((each) => each === word);
      if (fault !== undefined) return fault;
      console.error(`--faults: unknown fault '${word}'; known are ${faults.join(", ")}, none`);
      return process.exit(64);
    });
}

const shareOf = (times: readonly number[], share: number): number =>
  times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;

function print(account: ClusterAccount): void {
  const { accepted, unanswered, refused, slowestRefusal, returns, finishedOnce, effects, repeats, seconds, problems, late } = account;
  const rows: [string, string][] = [
    ["accepted", `${accepted} runs, ${Math.round(accepted / seconds)} a second`],
    ["without an answer", `${unanswered} requests, whose nodes had ended`],
    ["refused", refused === 0 ? "no request" : `${refused} requests with 503 or 429, the slowest after ${slowestRefusal} ms`],
    ["finished exactly once", `${finishedOnce} of ${accepted}`],
    ["effects", `${effects}, of them ${repeats} repeats (${((100 * repeats) / Math.max(1, effects)).toFixed(2)} %)`],
  ];
  for (const fault of nodeFaults) {
    const times = account.takeovers[fault];
    if (account.faults[fault] === 0) continue;
    const said =
      times.length === 0 ? "no run was open" : `p50 ${shareOf(times, 0.5)}, p99 ${shareOf(times, 0.99)}, most ${times.at(-1)} ms`;
    rows.push([`${account.faults[fault]} x ${fault}`, `${times.length} runs taken over: ${said}`]);
  }
  const { drains } = account;
  if (drains.length > 0) rows.push(["ended after SIGTERM", `p50 ${shareOf(drains, 0.5)}, most ${drains.at(-1)} ms`]);
  for (const fault of ["crash", "failover"] as const)
    if (account.faults[fault] > 0)
      rows.push([
        `${account.faults[fault]} x ${fault}`,
        `accepted again after p50 ${shareOf(returns, 0.5)}, most ${returns.at(-1) ?? 0} ms`,
      ]);
  for (const [name, value] of rows) console.log(`${name.padEnd(24)}${value}`);
  for (const problem of [...problems, ...late].slice(0, 20)) console.log(`PROBLEM ${problem}`);
}

function printBus({ published, perSecond, refused, kills, nodes, problems }: BusAccount): void {
  console.log(`${"published".padEnd(24)}${published} messages, ${Math.round(perSecond)} a second; ${refused} times a queue was full`);
  console.log(`${"connections ended".padEnd(24)}${kills}`);
  for (const [at, { heard, early, hash, delay }] of nodes.entries())
    console.log(
      `${`node-${at + 1}`.padEnd(24)}${heard} heard as ${hash}, ${early} early, after p50 ${delay.p50}, p99 ${delay.p99}, most ${delay.most} ms`,
    );
  for (const problem of problems) console.log(`PROBLEM ${problem}`);
}

if (values.help) console.log(usage);
else {
  const server = values.server ?? process.env.PIPEWRIGHT_TEST_POSTGRES ?? "postgres://postgres@127.0.0.1:5432/postgres";
  if (values.bus) {
    const load = { nodes: number("nodes", 4), perSecond: number("rate", 2_500), seconds: 60 * number("minutes", 1) };
    const options = { server, ...load, killEveryMs: number("every", 5_000), seed: number("seed", 1) };
    const account = await runBus(options, (line) => console.error(line));
    printBus(account);
    process.exit(account.problems.length === 0 ? 0 : 1);
  }
  if (values.compare) {
    const options = { server, runs: number("runs", 1_000), callers: number("callers", 16), rounds: number("rounds", 3) };
    for (const { product, perSecond, cpuMs } of await compare(options, (line) => console.error(line)))
      console.log(`${product.padEnd(24)}${Math.round(perSecond)} runs a second, ${cpuMs.toFixed(2)} ms of the processor a run`);
    process.exit(0);
  }
  if (values.figures) {
    const { nodes, perSecond } = await fanOut(server, { nodes: number("nodes", 3), messages: 30_000 });
    console.log(`${"fan-out".padEnd(24)}${Math.round(perSecond)} messages a second to each of ${nodes} nodes`);
    const cost = await storeCost(server, number("rounds", 7));
    const shown = [cost.without, cost.with].map((micros) => micros.toFixed(1));
    console.log(`${"without, with a store".padEnd(24)}${shown.join(", ")} µs of the processor a request: ${cost.ratio.toFixed(2)} times`);
    process.exit(0);
  }
  const sizes = { nodes: number("nodes", 3), runs: number("runs", 1_000), callers: number("callers", 16), seed: number("seed", 1) };
  const options = {
    server,
    ...sizes,
    faults: chosenFaults(values.faults ?? "kill,term"),
    faultEveryMs: number("every", 2_000),
    downMs: number("down", 1_000),
    isAsynchronous: values.async,
    leastFaults: 0,
  };
  const account = await runCluster(options, (line) => console.error(line));
  print(account);
  const isKept = account.problems.length === 0 || values.async;
  process.exitCode = isKept && account.late.length === 0 ? 0 : 1;
}
