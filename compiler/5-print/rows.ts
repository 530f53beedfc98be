import type { MemberEdit } from "#runtime/feature.ts";
import { isObject, type Json } from "#runtime/json.ts";
import type { Expr, Op } from "#runtime/plan.ts";
import { type Code, code, empty, list, lit, name, property, spaces } from "./code.ts";
import { expr, type Place } from "./exprs.ts";

type Shape = Extract<Op, { op: "shape" }>;

/** What a transform says of these arguments (feature.ts `MemberEdit`). */
export type EditOf = (transform: string, args: Json) => MemberEdit | undefined;

/** What becomes of a member: another name, nothing, or its place unless the member that takes its name is there. */
type Fate = { readonly to: string } | { readonly unless: string } | "removed";

/** Transforms in a row whose edits are one loop over the rows. */
export interface RowLoop {
  readonly ops: readonly Shape[];
  /** By the name that the member comes with. */
  readonly fates: ReadonlyMap<string, Fate>;
  readonly added: readonly (readonly [string, Expr])[];
  /** All that stays; then nothing can follow. */
  readonly kept?: ReadonlySet<string>;
}

/** The loop that begins with this op; undefined when it would hold fewer than two transforms. */
export function rowLoop(ops: readonly Op[], from: number, editOf: EditOf): RowLoop | undefined {
  let loop: RowLoop = { ops: [], fates: new Map(), added: [] };
  for (const op of ops.slice(from)) {
    const more = op.op === "shape" ? extended(loop, op, editOf) : undefined;
    if (op.op !== "shape" || more === undefined) break;
    loop = { ...more, ops: [...loop.ops, op] };
  }
  return loop.ops.length < 2 ? undefined : loop;
}

/** A name is looked at by one of the transforms only, but for `keep_attributes`, which chooses among the results: so their order needs no thought. */
function extended(loop: RowLoop, { use, args }: Shape, editOf: EditOf): Pick<RowLoop, "fates" | "added" | "kept"> | undefined {
  const given = membersOf(args);
  const known = given === undefined ? literal(args) : placeholders(given);
  const edit = known === undefined || loop.kept !== undefined ? undefined : editOf(use, known);
  if (edit === undefined) return undefined;
  const { rename = new Map<string, string>(), remove = [], set = [], keep } = edit;
  // Members may be added to null, too: a loop begins with a transform that needs rows.
  if (set.length > 0 && (loop.ops.length === 0 || loop.added.length > 0)) return undefined;
  const taken = new Set([...loop.fates.keys(), ...loop.added.map(([name]) => name)]);
  if ([...rename.keys(), ...rename.values(), ...remove, ...set].some((name) => taken.has(name))) return undefined;
  const fates = new Map(loop.fates);
  for (const [old, name] of rename) fates.set(old, { to: name }).set(name, { unless: old });
  for (const name of remove) fates.set(name, "removed");
  const added = set.length > 0 ? (given ?? []) : loop.added;
  return { fates, added, ...(keep === undefined ? {} : { kept: keep }) };
}

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

/** The argument with null for what is known only in a run. */
const placeholders = (members: Members): Json => Object.fromEntries(members.map(([name, value]) => [name, literal(value) ?? null]));

/** The same call as its transforms one after the other; runtime/rows.ts has what an edit does not say. */
export function printRowLoop({ ops, fates, added, kept }: RowLoop, p: Place): Code {
  const { imports } = p;
  imports.type("json.ts", "JsonObject");
  const names = code`[${list(ops.map(({ use }) => lit(use)))}]`;
  const fixed = added.every(([, value]) => isFixed(value));
  const stays = (name: string): boolean => kept === undefined || kept.has(name);
  const set = added.filter(([name]) => stays(name));
  const body = [
    code`const out: JsonObject = {};`,
    code`for (const key in row) {`,
    code`  switch (key) {`,
    ...cases(fates, kept, p).map((line) => code`    ${line}`),
    code`  }`,
    code`}`,
    ...set.map(([name, value]) => code`${member("out", name)} = ${fixed ? expr(value, p) : code`${member("added", name)} ?? null`};`),
    code`return out;`,
  ];
  const edit = arrow(fixed || set.length === 0 ? code`(row)` : code`(row, added)`, body, p.indent);
  const members = fixed ? [] : [code`() => (${expr({ op: "map", entries: added }, p)})`];
  const helper = kept === undefined ? "each_row" : "each_kept_row";
  return code`${imports.helper("rows.ts", helper)}(${list([code`act`, names, code`data`, edit, ...members])})`;
}

/** Written again for every row: it has to be cheap. */
const isFixed = (value: Expr): boolean => value.op === "lit" && (typeof value.value !== "object" || value.value === null);

function cases(fates: RowLoop["fates"], kept: RowLoop["kept"], p: Place): Code[] {
  const stays = (name: string): boolean => kept === undefined || kept.has(name);
  const moved = [...fates].flatMap(([name, fate]) => {
    if (fate === "removed" || !stays("to" in fate ? fate.to : name)) return [];
    const to = "to" in fate ? fate.to : name;
    const condition = "to" in fate ? empty : code`if (!Object.hasOwn(row, ${lit(fate.unless)})) `;
    return [code`case ${lit(name)}: ${condition}${member("out", to)} = ${member("row", name)} ?? null; break;`];
  });
  if (kept !== undefined) {
    const plain = [...kept].filter((name) => !fates.has(name)).map((name) => code`case ${lit(name)}:`);
    return plain.length === 0 ? moved : [...moved, code`${list(plain, " ")} out[key] = row[key] ?? null; break;`];
  }
  const gone = [...fates].flatMap(([name, fate]) => (fate === "removed" ? [code`case ${lit(name)}:`] : []));
  return [
    ...moved,
    ...(gone.length === 0 ? [] : [code`${list(gone, " ")} break;`]),
    code`default: ${p.imports.member()}(out, key, row[key] ?? null);`,
  ];
}

function arrow(parameters: Code, body: readonly Code[], indent: string): Code {
  const text = list(
    body.map((line) => code`${spaces(indent)}  ${line}`),
    "\n",
  );
  return code`${parameters} => {\n${text}\n${spaces(indent)}}`;
}

const member = (object: "row" | "out" | "added", key: string): Code => {
  const named = property(key);
  return named.startsWith('"') ? code`${name(object)}[${named}]` : code`${name(object)}.${named}`;
};
