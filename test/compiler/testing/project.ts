import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { run } from "../../harness/terminal.ts";

/** A failure in the report of a test. */
export interface ReportedFailure {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

/** A test in the report of `test --format json`. */
export interface Reported {
  readonly name: string;
  readonly outcome: string;
  readonly reason?: string;
  readonly failures?: readonly ReportedFailure[];
}

/** A project in a folder of its own, for one test of ours. */
export class Project implements Disposable {
  readonly folder = mkdtempSync(join(tmpdir(), "pipewright-tests-"));

  constructor(files: Readonly<Record<string, string>>) {
    for (const [name, text] of Object.entries(files)) this.write(name, text);
  }

  write(name: string, text: string): void {
    const file = join(this.folder, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }

  read(name: string): string {
    return readFileSync(join(this.folder, name), "utf8");
  }

  /** Runs the command in the folder. */
  run(...args: readonly string[]): ReturnType<typeof run> {
    return run(this.folder, ...args);
  }

  /** The tests of the project by their names. */
  async tests(...flags: readonly string[]): Promise<ReadonlyMap<string, Reported>> {
    const { out, err } = await this.run("test", ".", "--format", "json", ...flags);
    if (err !== "" && out === "") throw new Error(err);
    const { tests }: { readonly tests: readonly Reported[] } = JSON.parse(out);
    return new Map(tests.map((test) => [test.name, test]));
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** `status: message` of each failure of a test. */
export const messages = (test: Reported | undefined): readonly string[] => test?.failures?.map(({ message }) => message) ?? [];
