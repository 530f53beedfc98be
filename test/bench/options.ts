import { parseArgs } from "node:util";

export const parts = [
  "w1",
  "w2",
  "w3",
  "w4",
  "w5",
  "w6",
  "w7",
  "w8",
  "w9",
  "w10",
  "w11",
  "w12",
  "micro",
  "compile",
  "cold",
  "commands",
  "dev",
  "editor",
  "pages",
  "scale",
  "held",
  "latency",
  "workers",
  "peers",
] as const;
export type Part = (typeof parts)[number];

export interface Options {
  readonly only: readonly Part[];
  /** The rounds of each workload; the first one of each system warms up and does not count. */
  readonly rounds: number;
  /** Seconds of load in each round. */
  readonly duration: number;
  readonly connections: number;
  /** Shows where the time of the workloads goes, in place of what they cost. */
  readonly profile: boolean;
  /** Compares w1, w2 and w4 with the baseline, and does nothing else. */
  readonly short: boolean;
  /** Prints one JSON document instead of tables. */
  readonly json: boolean;
}

export const usage = `npm run bench -- [options]

  --only LIST        of ${parts.join(",")} (all)
  --rounds N         rounds of each workload (15)
  --duration S       seconds of load in each round (1); less than one, such as 0.3 with --rounds 40, repeats better on a shared machine
  --connections N    requests under way at a time (32)
  --profile          where the time of w1 to w12 goes, by V8's profiler, over --duration seconds
  --short            fails when w1, w2 or w4 cost 15 % more than test/bench/baseline.json says, in proportion to Fastify;
                     UPDATE=1 writes the file, COUNT=1 counts instructions with valgrind instead
  --json             one JSON document instead of tables
`;

/** The flags of the command line; throws with a text for people. */
export function readOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: "string", default: parts.join(",") },
      rounds: { type: "string", default: "15" },
      duration: { type: "string", default: "1" },
      connections: { type: "string", default: "32" },
      profile: { type: "boolean", default: false },
      short: { type: "boolean", default: false },
      json: { type: "boolean", default: false },
    },
  });
  return {
    only: values.only.split(",").map(partOf),
    rounds: positive("--rounds", values.rounds),
    duration: positive("--duration", values.duration),
    connections: positive("--connections", values.connections),
    profile: values.profile,
    short: values.short,
    json: values.json,
  };
}

function partOf(word: string): Part {
  const part = parts.find((known) => known === word);
  if (part === undefined) throw new Error(`--only: unknown part '${word}'; known are ${parts.join(", ")}`);
  return part;
}

function positive(flag: string, text: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new Error(`${flag}: '${text}' is no number above 0`);
  return value;
}
