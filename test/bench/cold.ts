import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { link } from "../../compiler/7-link/index.ts";
import { nativeTarget, type Target } from "../../compiler/7-link/node.ts";
import { planTexts, printAll } from "../../compiler/pipeline.ts";
import { residentOf } from "./scale/resident.ts";
import { type Command, startServer } from "./server.ts";
import { median } from "./statistics.ts";
import { linkedTo, node, serving } from "./systems.ts";
import { figure, table } from "./table.ts";

const starts = 10;

/**
 * Milliseconds from the start of a process to the end of its first answer, the best and the median; and medians of the processor time and
 * the memory that it has used until then.
 */
export interface ColdReport {
  readonly program: string;
  readonly best: number;
  readonly wall: number;
  readonly cpu: number;
  /** MiB of resident memory after that answer. */
  readonly memory: number;
}

/** Milliseconds to the first answer of a bundle with one interface, and MiB that it may take more than a bare server. */
const goals = { wall: 45, memory: 8 } as const;

/**
 * Starts the bundle of one interface, executables of one and of 1,000, and a bare node:http server, in turns. Undefined, with a line on
 * stderr, where no executable can be built.
 */
export async function benchCold(): Promise<readonly ColdReport[] | undefined> {
  const target = nativeTarget();
  if (target === undefined) {
    console.error(`cold is skipped: no Node package for ${process.platform}-${process.arch}`);
    return undefined;
  }
  const folder = mkdtempSync(join(tmpdir(), "pipewright-bench-"));
  try {
    const programs: readonly (readonly [string, Command])[] = [
      [
        "bundle, 1 interface",
        node(await linkedTo(folder, "one", planTexts([{ file: "cold.yaml", text: config(1) }]), false), {}, ...serving),
      ],
      ["executable, 1 interface", await executable(join(folder, "one"), 1, target)],
      ["executable, 1000 interfaces", await executable(join(folder, "thousand"), 1000, target)],
      ["node:http alone", { program: process.execPath, args: [fileURLToPath(new URL("reference/bare.mjs", import.meta.url))], env: {} }],
    ];
    const answers = programs.map((): Answer[] => []);
    // The first start of each program fills the caches of the file system, and loads the parts that `fetch` needs.
    for (let i = 0; i <= starts; i++) {
      for (const [at, [name, command]] of programs.entries()) {
        const answer = await firstAnswer(name, command);
        if (i > 0) answers[at]?.push(answer);
      }
    }
    return programs.map(([program], i) => {
      const all = answers[i] ?? [];
      const middle = (of: (answer: Answer) => number): number => median(all.map(of));
      return {
        program,
        best: Math.min(...all.map(({ wall }) => wall)),
        wall: middle(({ wall }) => wall),
        cpu: middle(({ cpu }) => cpu),
        memory: middle(({ memory }) => memory),
      };
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const config = (interfaces: number): string =>
  `name: cold\ninterfaces:\n${Array.from({ length: interfaces }, (_, i) => interfaceText(i + 1)).join("")}`;

const interfaceText = (i: number): string => `  w${i}:
    method: GET
    output: http
    actions:
      - name: Reply
        json_output: { message: hello, number: ${i} }
        assert: { tests: [{ value: message, is_equal_to: hello }] }
`;

async function executable(out: string, interfaces: number, target: Target): Promise<Command> {
  const planned = planTexts([{ file: "cold.yaml", text: config(interfaces) }]);
  const { files } = await link(await printAll(planned), {
    environment: "bench",
    out,
    targets: [target],
    executable: true,
    plans: planned.plans,
    effectOf: () => "pure",
    progress: () => undefined,
  });
  const program = files.find(({ name }) => name.startsWith("cold-bench-"));
  if (program === undefined) throw new Error(`no executable in ${out}`);
  return { program: join(out, program.name), args: serving, env: {} };
}

type Answer = Omit<ColdReport, "program" | "best">;

async function firstAnswer(name: string, command: Command): Promise<Answer> {
  const began = performance.now();
  const server = await startServer(name, command, undefined);
  try {
    const response = await fetch(new URL("/w1", server.url));
    await response.text();
    return { wall: performance.now() - began, cpu: server.cpu() / 1000, memory: residentOf(server.pid) };
  } finally {
    await server.stop();
  }
}

/** A goal is missed when the best is over it: what a busy machine adds is no part of a start. */
export function coldTable(reports: readonly ColdReport[]): string {
  const bare = reports.at(-1);
  const rows = reports.map(({ program, best, wall, cpu, memory }) => {
    const isJudged = program.startsWith("bundle") && bare !== undefined;
    const most = (bare?.memory ?? 0) + goals.memory;
    return [
      program,
      ...[best, wall, cpu].map(figure),
      isJudged ? verdict(best <= goals.wall, goals.wall) : "",
      figure(memory),
      isJudged ? verdict(memory <= most, most) : "",
    ];
  });
  return table(["start to first answer", "best ms", "median", "CPU ms", "goal", "RSS MiB", "goal"], rows);
}

const verdict = (isMet: boolean, goal: number): string => `${figure(goal)} ${isMet ? "met" : "MISSED"}`;
