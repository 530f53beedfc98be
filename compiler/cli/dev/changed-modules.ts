import { structuredPatch } from "diff";
import type { PrintedModule } from "../../6-print/index.ts";

/** A line of a diff. A line of kind `gap` stands for equal lines that are left out. */
export interface ChangedLine {
  readonly kind: "added" | "removed" | "same" | "gap";
  readonly text: string;
}

/** The change of a printed module after a save. */
export interface ModuleChange {
  /** The file of the configuration. */
  readonly file: string;
  readonly added: number;
  readonly removed: number;
  readonly lines: readonly ChangedLine[];
  /** The reason why no lines are shown although the module has changed. */
  readonly hidden?: string;
}

/** The most lines of a diff that are shown, and the number of equal lines around each change. */
const [mostLines, around] = [2_000, 3] as const;

/** The number of different lines from which no diff is made: its time grows with their square, and it would be too long to read. */
const mostDifferent = 1_000;

/** Places in the comments of interfaces. They change whenever a line is added above. */
const places = /^(\/\*\* .*):\d+( interfaces\..* \*\/)$/gm;

/** The modules of one version, and the configurations whose modules hold a secret as text. */
export interface ShownModules {
  readonly modules: readonly PrintedModule[];
  readonly sealed: ReadonlySet<string>;
}

/** The printed modules that differ between two versions, in the order of the new version; removed modules come last. */
export function changedModules(before: ShownModules, now: ShownModules): readonly ModuleChange[] {
  const codes = ({ modules }: ShownModules): ReadonlyMap<string, string> =>
    new Map(modules.map(({ file, code }) => [file, code.replace(places, "$1$2")]));
  const [old, fresh] = [codes(before), codes(now)];
  const files = new Set([...fresh.keys(), ...old.keys()]);
  return [...files].flatMap((file) => {
    const [from = "", to = ""] = [old.get(file), fresh.get(file)];
    if (from === to) return [];
    if (before.sealed.has(file) || now.sealed.has(file))
      return [unshown(file, "The module holds a secret that stands in the YAML as text.")];
    return [changeOf(file, from, to)];
  });
}

const unshown = (file: string, hidden: string): ModuleChange => ({ file, added: 0, removed: 0, lines: [], hidden });

function changeOf(file: string, from: string, to: string): ModuleChange {
  if (from === "" || to === "") return whole(file, from === "" ? "added" : "removed", `${from}${to}`);
  const patch = structuredPatch(file, file, from, to, undefined, undefined, { context: around, maxEditLength: mostDifferent });
  if (patch === undefined) return unshown(file, "Nearly all of the module is another one.");
  const lines = patch.hunks.flatMap(({ lines: hunk }, i): readonly ChangedLine[] => [
    ...(i === 0 ? [] : [{ kind: "gap" as const, text: "" }]),
    // A line that begins with a backslash only notes that the text has no line break at its end.
    ...hunk.filter((line) => !line.startsWith("\\")).map(lineOf),
  ]);
  return shown(file, lines);
}

function shown(file: string, lines: readonly ChangedLine[]): ModuleChange {
  const count = (kind: ChangedLine["kind"]): number => lines.filter((line) => line.kind === kind).length;
  const change = { file, added: count("added"), removed: count("removed"), lines: lines.slice(0, mostLines) };
  return lines.length > mostLines ? { ...change, hidden: `${lines.length - mostLines} more lines are not shown.` } : change;
}

/** The change of a module that was added or removed. */
const whole = (file: string, kind: "added" | "removed", code: string): ModuleChange =>
  shown(
    file,
    code
      .replace(/\n$/, "")
      .split("\n")
      .map((text) => ({ kind, text })),
  );

const kinds = { "+": "added", "-": "removed", " ": "same" } as const;

const lineOf = (line: string): ChangedLine => ({ kind: kinds[line.slice(0, 1) as keyof typeof kinds] ?? "same", text: line.slice(1) });
