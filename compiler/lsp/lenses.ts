import { existsSync, readFileSync, statSync } from "node:fs";
import { join, relative, resolve, sep } from "node:path";
import type { CodeLens, CodeLensParams } from "vscode-languageserver/node";
import { type Entry, entriesOf, get, items, scalarText, textOf } from "../1-read/document.ts";
import { isInterfaceName, isServed, methodOf, routeOf, triggersIn } from "../3-resolve/routes.ts";
import type { Session } from "./session.ts";
import { rangeIn, type SourceFile } from "./source-file.ts";

/**
 * Commands of lenses: one runs an interface, the other its contract tests. Both take the project, the paths of `check` and the interface.
 */
export const commands = { run: "pipewright.run", test: "pipewright.test" } as const;

/** The lenses above each interface: its entrances, a command to run it, its tests, and their coverage. */
export function codeLenses(session: Session, { textDocument }: CodeLensParams): CodeLens[] {
  const source = session.source(textDocument.uri);
  if (source === undefined || source.role !== "config" || !session.settings.lenses) return [];
  const counts = testsOf(source, session);
  const lines = coveredLines(source);
  return entriesOf(get(source.document?.root, "interfaces")).flatMap((one) => {
    const range = rangeIn(source, one.keySpan);
    const [project] = source.project.paths;
    const args = [source.project.folder, project, one.key];
    // A terminal of the editor gets the name.
    const isName = isInterfaceName(one.key);
    const tests = counts.get(one.key) ?? 0;
    const covered = coverageOf(one, source, lines);
    return [
      { range, command: { title: reachedBy(one), command: "" } },
      ...(isName ? [{ range, command: { title: "run", command: commands.run, arguments: args } }] : []),
      ...(tests === 0 || !isName
        ? []
        : [{ range, command: { title: tests === 1 ? "1 test" : `${tests} tests`, command: commands.test, arguments: args } }]),
      ...(covered === undefined ? [] : [{ range, command: { title: covered, command: "" } }]),
    ];
  });
}

function reachedBy({ key, value }: Entry): string {
  const route = isServed(value) ? [`${methodOf(value)} ${routeOf(key, value)}`] : [];
  return [...route, ...triggersIn(value)].join(", ") || (textOf(get(value, "output")) === "cli" ? "command line" : "called by others");
}

/** The number of contract tests of each interface. */
function testsOf(source: SourceFile, session: Session): ReadonlyMap<string, number> {
  const file = session.files.of(source.path.replace(/\.(ya?ml)$/, ".test.$1"), source.project);
  const names = items(get(file?.document?.root, "tests")).map((test) => scalarText(get(test, "interface")) ?? "");
  return new Map([...Map.groupBy(names, (name) => name)].map(([name, list]) => [name, list.length]));
}

const mostBytes = 16 * 1024 * 1024;

/** The lines of the file in the report of the last `test --coverage=lcov`; true for a line that a test has run. */
function coveredLines({ path, project }: SourceFile): ReadonlyMap<number, boolean> | undefined {
  const file = join(project.folder, "coverage", "lcov.info");
  const stats = existsSync(file) ? statSync(file) : undefined;
  if (stats?.isFile() !== true || stats.size > mostBytes) return undefined;
  const name = relative(project.folder, path).split(sep).join("/");
  const records = readFileSync(file, "utf8").split("end_of_record");
  const own = records.find((record) => resolve(project.folder, /^SF:(.*)$/m.exec(record)?.[1] ?? "") === resolve(project.folder, name));
  if (own === undefined) return undefined;
  return new Map([...own.matchAll(/^DA:(\d+),(\d+)$/gm)].map(([, line, count]) => [Number(line), Number(count) > 0]));
}

function coverageOf(
  { value, keySpan }: Entry,
  { lines }: SourceFile,
  covered: ReadonlyMap<number, boolean> | undefined,
): string | undefined {
  if (covered === undefined) return undefined;
  const [first, last] = [lines.positionAt(keySpan.start).line + 1, lines.positionAt(value.span.end).line + 1];
  const own = [...covered].filter(([line]) => line >= first && line <= last);
  return own.length === 0 ? undefined : `${Math.round((own.filter(([, hit]) => hit).length / own.length) * 100)} % covered`;
}
