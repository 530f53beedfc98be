import { type Document, isAlias, isCollection, isMap } from "yaml";
import { writeWhole } from "../7-link/write.ts";
import { editableYaml, printedYaml } from "../editable-yaml.ts";
import type { Path } from "./compare.ts";
import type { CaseResult } from "./run-suite.ts";
import type { Suite } from "./suite.ts";

/** The values that were written into files of tests, and the tests that still fail. */
export interface Updated {
  /** The number of written values, by file. */
  readonly files: ReadonlyMap<string, number>;
  readonly left: readonly CaseResult[];
}

/**
 * Replaces expected by actual values for status, headers, body and effects of failed tests. Comments and the order of keys stay. Other
 * mistakes, such as an unused stub, have to be corrected by hand.
 */
export function update(results: readonly CaseResult[], { files }: Suite): Updated {
  const failures = results.filter(({ outcome }) => outcome === "failed");
  const counts = new Map<string, number>();
  const left = new Map(failures.map((each) => [each, each.mismatches]));
  for (const { document, path } of files) {
    const own = failures.filter((each) => each.case.written !== undefined && each.case.file === document.file);
    const tree = editableYaml(document.text);
    let count = 0;
    for (const failure of own) {
      const others = failure.mismatches.filter(
        ({ update: wanted }) => wanted === undefined || !write(tree, placeOf(failure, wanted.path), wanted.value),
      );
      count += failure.mismatches.length - others.length;
      left.set(failure, others);
    }
    if (count === 0) continue;
    writeWhole(path, printedYaml(tree, document.text));
    counts.set(document.file, count);
  }
  return { files: counts, left: [...left].flatMap(([each, mismatches]) => (mismatches.length === 0 ? [] : [{ ...each, mismatches }])) };
}

const placeOf = ({ case: { written } }: CaseResult, path: Path): Path => ["tests", written?.index ?? 0, "expect", ...path];

/** Writes a value; false if the place belongs to an anchor, which other tests may use. */
function write(tree: Document, path: Path, value: unknown): boolean {
  for (let i = 0; i <= path.length; i++) if (isAlias(tree.getIn(path.slice(0, i), true))) return false;
  const parent = tree.getIn(path.slice(0, -1), true);
  const node = tree.createNode(value);
  // A map on one line stays on one line only while its content is short.
  if (isCollection(node) && isMap(parent) && parent.flow === true && JSON.stringify(value).length > 60) unfold(tree, path);
  if (isCollection(node) && node.items.length === 0) node.flow = true;
  const old = tree.getIn(path, true);
  if (isCollection(old) && isCollection(node) && old.flow === true && JSON.stringify(value).length <= 100) node.flow = true;
  tree.setIn(path, node);
  return true;
}

/** Writes the maps around a place on lines of their own. */
function unfold(tree: Document, path: Path): void {
  for (let i = 0; i < path.length; i++) {
    const around = tree.getIn(path.slice(0, i), true);
    if (isCollection(around)) around.flow = false;
  }
}
