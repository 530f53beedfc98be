import { type ConversionArgument, documentConversion } from "#runtime/paths/conversion.ts";
import { isKey, lastName, type PathStep } from "#runtime/paths/nodes.ts";
import { type NodePath, nodePath } from "#runtime/paths/path.ts";
import type { Expr, Step } from "#runtime/plan/index.ts";
import { Reject } from "#runtime/value/failure.ts";
import type { Json } from "#runtime/value/json.ts";

/** Rows that `parse_csv` has made: all their members are text, but for those that have become numbers since. */
export interface TextRows {
  /** Where the list of rows is in the data. */
  readonly path: readonly Step[];
  readonly numbers: ReadonlySet<string>;
}

/** Transforms that only remove members or rows, and leave the other values as they are. */
const neutral: ReadonlySet<string> = new Set(["keep_attributes", "remove_attributes", "remove_keys"]);

/** The facts about rows that still hold after a transform whose arguments are static; `undefined` arguments hold a marker. */
export function afterTransform(rows: readonly TextRows[], transform: string, args: Json | undefined): readonly TextRows[] {
  if (neutral.has(transform)) return rows;
  if (args === undefined) return [];
  if (transform === "parse_csv") return withCsv(rows, args);
  return transform === "numerics" ? withNumbers(rows, args) : [];
}

function withCsv(rows: readonly TextRows[], args: Json): readonly TextRows[] {
  const conversion = unlessRefused(() => documentConversion(args as ConversionArgument)); // phase 2 has checked the arguments
  const path = conversion === undefined ? undefined : keysOf(conversion.key ?? conversion.from);
  return path === undefined ? [] : [...rows.filter((one) => !isSame(one.path, path)), { path, numbers: new Set() }];
}

/** A name at the end of a path may be that of a member of any of the rows. */
function withNumbers(rows: readonly TextRows[], args: Json): readonly TextRows[] {
  const names = (Array.isArray(args) ? args : []).map((field) => lastName(pathIn(field)?.steps ?? []));
  return names.includes(undefined)
    ? []
    : rows.map(({ path, numbers }) => ({ path, numbers: new Set([...numbers, ...names.map((name) => name ?? "")]) }));
}

/** True when the path names a member of such rows that is still text. */
export const isTextMember = (rows: readonly TextRows[], path: readonly Step[]): boolean =>
  rows.some(({ path: list, numbers }) => {
    const [index, member, ...more] = path.slice(list.length);
    if (more.length > 0 || typeof member !== "string" || numbers.has(member)) return false;
    return isSame(path.slice(0, list.length), list) && (typeof index === "number" || /^\d+$/.test(index ?? ""));
  });

/** A path of keys only, as steps; undefined when it may name several places. */
const keysOf = ({ steps }: { readonly steps: readonly PathStep[] }): readonly Step[] | undefined =>
  steps.every(isKey) ? steps : undefined;

const pathIn = (text: Json): NodePath | undefined => unlessRefused(() => nodePath(text === null ? null : String(text)));

/** The steps of a path that is static and names one place. */
export function stepsOf(target: Expr): readonly Step[] | undefined {
  const path = target.op === "lit" ? pathIn(target.value) : undefined;
  return path === undefined ? undefined : keysOf(path);
}

/** Arguments that are refused have been reported where they stand. */
function unlessRefused<V>(prepare: () => V): V | undefined {
  try {
    return prepare();
  } catch (error) {
    if (error instanceof Reject) return undefined;
    throw error;
  }
}

const isSame = (a: readonly Step[], b: readonly Step[]): boolean => a.length === b.length && a.every((step, i) => step === b[i]);
