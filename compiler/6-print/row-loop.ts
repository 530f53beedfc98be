import type { MemberEdit } from "#runtime/features/feature.ts";
import { isDigits } from "#runtime/paths/nodes.ts";
import type { Expr, Op, TestPlan } from "#runtime/plan/index.ts";
import { isObject, type Json } from "#runtime/value/json.ts";
import { mentions } from "../4-plan/markers/mentions.ts";

type TransformCall = Extract<Op, { op: "transform" }>;
type FilterOp = Extract<Op, { op: "filter" }>;

/** Gives the edits of members that a transform makes with these arguments (feature.ts `MemberEdit`). */
export type EditOf = (transform: string, args: Json) => MemberEdit | undefined;

/** The fate of a member: it is renamed (`to`), removed, or dropped when the row has the member `unless`, which takes over its name. */
export type Fate = { readonly to: string } | { readonly unless: string } | "removed";

/** Consecutive transforms that are printed as one loop over the rows. */
export interface PlannedRowLoop {
  readonly ops: readonly (TransformCall | FilterOp)[];
  /** The fate of each member, by its name before the loop. */
  readonly fates: ReadonlyMap<string, Fate>;
  readonly added: readonly (readonly [string, Expr])[];
  /** The final names of the members that stay. */
  readonly kept?: ReadonlySet<string>;
  /** Conditions of filters on members that no other transform touches: they are tested first, independent of the place of the filter. */
  readonly before: readonly TestPlan[];
  /** Conditions of a last filter on members that the other transforms have changed. */
  readonly after: readonly TestPlan[];
  /** The columns of the rows, if they are known. */
  readonly columns?: readonly string[];
}

const nothing: PlannedRowLoop = { ops: [], fates: new Map(), added: [], before: [], after: [] };

/**
 * The loop that begins with this op; undefined when the loop would have fewer than two transforms, because a call is then easier to read.
 */
export function rowLoop(ops: readonly Op[], from: number, editOf: EditOf, columns?: readonly string[]): PlannedRowLoop | undefined {
  let loop = nothing;
  for (const op of ops.slice(from)) {
    const more = loop.after.length > 0 ? undefined : extended(loop, op, editOf);
    if (more === undefined) break;
    loop = more;
  }
  if (loop.ops.filter(({ op }) => op === "transform").length < 2) return undefined;
  return columns === undefined ? loop : { ...loop, columns };
}

function extended(loop: PlannedRowLoop, op: Op, editOf: EditOf): PlannedRowLoop | undefined {
  if (op.op === "filter") return filtered(loop, op);
  return op.op === "transform" ? edited(loop, op, editOf) : undefined;
}

/**
 * The loop with one more transform; undefined when it does not fit. No two of the transforms may use the same name, so that their order
 * does not matter. `keep_attributes` may use any name, because it chooses among the results.
 */
function edited(loop: PlannedRowLoop, op: TransformCall, editOf: EditOf): PlannedRowLoop | undefined {
  const members = membersOf(op.args);
  const args = members === undefined ? literal(op.args) : placeholders(members);
  const edit = args === undefined ? undefined : editOf(op.use, args);
  if (edit === undefined) return undefined;
  const { rename = new Map<string, string>(), remove = [], set = [], keep } = edit;
  if ([...rename.keys(), ...rename.values(), ...set, ...(keep ?? [])].some((name) => inherited.has(name))) return undefined;
  // A transform that adds members also accepts null, so a loop must begin with a transform that needs rows.
  if (set.length > 0 && (loop.ops.length === 0 || loop.added.length > 0)) return undefined;
  if (keep !== undefined) return loop.kept === undefined ? { ...loop, ops: [...loop.ops, op], kept: keep } : undefined;
  const names = new Set([...loop.fates.keys(), ...loop.added.map(([name]) => name)]);
  if ([...rename.keys(), ...rename.values(), ...remove, ...set].some((name) => names.has(name))) return undefined;
  const isThere = (name: string): boolean => loop.kept === undefined || loop.kept.has(name);
  const fates = new Map(loop.fates);
  const remaining = new Set(loop.kept);
  for (const [old, name] of rename) {
    if (!isThere(old)) continue;
    fates.set(old, { to: name }).set(name, isThere(name) ? { unless: old } : "removed");
    remaining.add(name).delete(old);
  }
  for (const name of remove) {
    fates.set(name, "removed");
    remaining.delete(name);
  }
  for (const name of set) {
    if (!isThere(name)) fates.set(name, "removed");
    remaining.add(name);
  }
  const added = set.length > 0 ? (members ?? []) : loop.added;
  return { ...loop, ops: [...loop.ops, op], fates, added, ...(loop.kept === undefined ? {} : { kept: remaining }) };
}

/** The loop with one more filter. A filter that waits, or whose markers must be evaluated at its turn, does not fit. */
function filtered(loop: PlannedRowLoop, op: FilterOp): PlannedRowLoop | undefined {
  const { target, tests, values = [], waits } = op;
  const isWhole = target.op === "lit" && target.value === "";
  const names = tests.map(memberTested);
  if (!isWhole || values.length > 0 || waits || !names.every((name) => name !== undefined)) return undefined;
  const touched = new Set([...loop.fates.keys(), ...loop.added.map(([name]) => name)]);
  const isUntouched = (name: string): boolean => !touched.has(name) && (loop.kept === undefined || loop.kept.has(name));
  const ops = [...loop.ops, op];
  return names.every(isUntouched) ? { ...loop, ops, before: [...loop.before, ...tests] } : { ...loop, ops, after: tests };
}

/** The root member of an element that a condition looks at; undefined for any other target. */
function memberTested({ target, matchers }: TestPlan): string | undefined {
  if (target.op !== "at" || target.of.op !== "item" || mentions(matchers, "item")) return undefined;
  const [name] = target.path;
  return typeof name === "string" && !isDigits(name) ? name : undefined;
}

/** The members of the row that a loop makes from these columns: the new names in order, each with the column that has its value. */
export function membersOfColumns({ fates, kept }: PlannedRowLoop, columns: readonly string[]): ReadonlyMap<string, string> {
  const members = new Map<string, string>();
  for (const column of columns) {
    const fate = fates.get(column);
    const isGone = fate === "removed" || (fate !== undefined && "unless" in fate && columns.includes(fate.unless));
    const name = typeof fate === "object" && "to" in fate ? fate.to : column;
    if (!isGone && (kept === undefined || kept.has(name))) members.set(name, column);
  }
  return members;
}

/** Names that every object has from its prototype: the type checker accepts only a function for a member `constructor`. */
const inherited: ReadonlySet<string> = new Set(Object.getOwnPropertyNames(Object.prototype));

type Members = readonly (readonly [string, Expr])[];

/** Members of an argument that is a map with fixed names. */
function membersOf(args: Expr): Members | undefined {
  if (args.op === "lit")
    return isObject(args.value) ? Object.entries(args.value).map(([name, value]) => [name, { op: "lit", value }]) : undefined;
  if (args.op !== "map") return undefined;
  const entries = args.entries.flatMap(([name, value]) => (typeof name === "string" ? [[name, value] as const] : []));
  return entries.length === args.entries.length ? entries : undefined;
}

const literal = (args: Expr): Json | undefined => (args.op === "lit" ? args.value : undefined);

/** The argument with null in place of values that are known only at run time. */
const placeholders = (members: Members): Json => Object.fromEntries(members.map(([name, value]) => [name, literal(value) ?? null]));
