import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { link } from "../../compiler/7-link/index.ts";
import { nativeTarget, type Target } from "../../compiler/7-link/node.ts";
import { planTexts, printAll } from "../../compiler/pipeline.ts";
import { type Command, startServer } from "./server.ts";
import { median } from "./statistics.ts";
import { serving } from "./systems.ts";
import { figure, table } from "./table.ts";

const starts = 10;

/**
 * Medians of milliseconds from the start of a process to the end of its first answer, and of the processor time that it has used until
 * then.
 */
export interface ColdReport {
  readonly program: string;
  readonly wall: number;
  readonly cpu: number;
}

/**
 * Starts executables of one and of 1,000 interfaces, and a bare node:http server, in turns. Undefined, and said so, where no executable can
 * be built.
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
      ["executable, 1 interface", await executable(join(folder, "one"), 1, target)],
      ["executable, 1000 interfaces", await executable(join(folder, "thousand"), 1000, target)],
      ["node:http alone", { program: process.execPath, args: [fileURLToPath(new URL("reference/bare.mjs", import.meta.url))], env: {} }],
    ];
    const answers = programs.map((): Answer[] => []);
    // The first one of each fills the caches of the file system, and loads what `fetch` needs.
    for (let i = 0; i <= starts; i++) {
      for (const [at, [name, command]] of programs.entries()) {
        const answer = await firstAnswer(name, command);
        if (i > 0) answers[at]?.push(answer);
      }
    }
    return programs.map(([program], i) => {
      const all = answers[i] ?? [];
      return { program, wall: median(all.map(({ wall }) => wall)), cpu: median(all.map(({ cpu }) => cpu)) };
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

interface Answer {
  readonly wall: number;
  readonly cpu: number;
}

async function firstAnswer(name: string, command: Command): Promise<Answer> {
  const began = performance.now();
  const server = await startServer(name, command, undefined);
  try {
    const response = await fetch(new URL("/w1", server.url));
    await response.text();
    return { wall: performance.now() - began, cpu: server.cpu() / 1000 };
  } finally {
    await server.stop();
  }
}

export function coldTable(reports: readonly ColdReport[]): string {
  const rows = reports.map(({ program, wall, cpu }) => [program, figure(wall), figure(cpu)]);
  return table(["start to first answer", "ms", "CPU ms"], rows);
}
