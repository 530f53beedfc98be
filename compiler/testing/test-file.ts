import { statSync } from "node:fs";
import { dirname, relative, resolve, sep } from "node:path";
import { type Document, entry, get, items, type Node, scalarText } from "../1-read/document.ts";
import { type ConfigFile, isTestFile, readText } from "../1-read/files.ts";
import { read } from "../1-read/index.ts";
import { languageChecker } from "../2-check/checker.ts";
import { contractTests } from "../diagnostics/codes/contract-tests.ts";
import type { Report } from "../diagnostics/diagnostic.ts";
import { lineTable } from "../diagnostics/position.ts";
import { testLanguage } from "./schema.ts";

/** A written test. */
export interface WrittenTest {
  readonly name: string;
  readonly interface: string;
  readonly skip: string | undefined;
  /** The whole entry. */
  readonly node: Node;
  readonly given: Node | undefined;
  readonly expect: Node | undefined;
}

/** A file of contract tests. */
export interface TestFile {
  readonly document: Document;
  readonly path: string;
  /** The configuration, named as in diagnostics. */
  readonly config: string;
  /** The values for every test of the file. */
  readonly given: Node | undefined;
  readonly tests: readonly WrittenTest[];
}

/** Compiling the language takes longer than checking most files. */
let check: ReturnType<typeof languageChecker> | undefined;

/** The text of a file of tests, for frames, and its tests, unless their form has mistakes. */
export interface ReadTests {
  readonly file: string;
  readonly text: string;
  readonly tests: TestFile | undefined;
}

/** Reads a file of tests. `configs` gives the names of the configurations by their paths. */
export function readTests(file: ConfigFile, configs: ReadonlyMap<string, string>, cwd: string, report: Report): ReadTests {
  const { text } = readText(file, report) ?? { text: "" };
  const document = read(text, file.file, report);
  return { file: file.file, text, tests: document === undefined ? undefined : testsIn(document, file, configs, cwd, report) };
}

function testsIn(
  document: Document,
  file: ConfigFile,
  configs: ReadonlyMap<string, string>,
  cwd: string,
  report: Report,
): TestFile | undefined {
  check ??= languageChecker(testLanguage());
  const { root } = document;
  // The tree itself is used, and not the checked one without nulls, because a test may expect null.
  if (check(root, report) === undefined) return undefined;
  const config = configOf(root, file, configs, cwd, report);
  if (config === undefined) return undefined;
  const tests = items(get(root, "tests")).map(
    (node): WrittenTest => ({
      name: scalarText(get(node, "name")) ?? "",
      interface: scalarText(get(node, "interface")) ?? "",
      skip: scalarText(get(node, "skip")),
      node,
      given: get(node, "given"),
      expect: get(node, "expect"),
    }),
  );
  refuseTwins(tests, document, report);
  return { document, path: file.path, config, given: get(root, "given"), tests };
}

function configOf(root: Node, file: ConfigFile, configs: ReadonlyMap<string, string>, cwd: string, report: Report): string | undefined {
  const candidates = pathsOfConfig(root, file.path);
  const path = candidates.find((candidate) => configs.has(candidate));
  if (path !== undefined) return configs.get(path);
  const shown = relative(cwd, candidates[0] ?? "")
    .split(sep)
    .join("/");
  const node = get(root, "config");
  report(contractTests.noConfig(shown, node !== undefined), node?.span ?? { file: file.file, start: 0, end: 0 });
  return undefined;
}

/** The possible paths of the configuration for a file of tests. */
function pathsOfConfig(root: Node, path: string): readonly string[] {
  const name = scalarText(get(root, "config"));
  if (name !== undefined) return [resolve(dirname(path), name)];
  const beside = path.replace(/\.test(\.ya?ml)$/, "$1");
  return [beside, beside.replace(/\.yaml$/, ".yml"), beside.replace(/\.yml$/, ".yaml")];
}

/** The paths, in which each file of tests is replaced by its configuration. A file without one stays, and is refused later. */
export const configPaths = (paths: readonly string[], cwd: string): readonly string[] =>
  paths.map((each) => {
    const path = resolve(cwd, each);
    if (!isTestFile(path) || statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return each;
    const document = read(readText({ file: each, path }, ignored)?.text ?? "", each, ignored);
    const candidates = document === undefined ? [] : pathsOfConfig(document.root, path);
    return candidates.find((config) => statSync(config, { throwIfNoEntry: false })?.isFile()) ?? each;
  });

/** Mistakes in a file of tests are ignored here, since they are reported when its tests are read. */
const ignored: Report = () => undefined;

function refuseTwins(tests: readonly WrittenTest[], { text }: Document, report: Report): void {
  const lines = lineTable(text);
  const seen = new Map<string, Node>();
  for (const { name, node } of tests) {
    const at = entry(node, "name")?.value.span ?? node.span;
    const first = seen.get(name);
    if (first === undefined) seen.set(name, node);
    else report(contractTests.usedTwice(name, lines.at(first.span.start).line), at);
  }
}
