import type { AnyTransform, JsonSchema, MemberEdit } from "#runtime/features/feature.ts";
import { every } from "#runtime/paths/nodes.ts";
import { nodePath } from "#runtime/paths/path.ts";
import type { Expr, NestedPlan, Step, TransformOp } from "#runtime/plan/index.ts";
import { isObject, type Json, type JsonObject, put } from "#runtime/value/json.ts";
import { memberOf } from "../../4-plan/inference/provenance.ts";
import { recordOf } from "../../records.ts";
import { throughJq } from "./jq.ts";
import { at, clean, inItems, inMembers, inRows, isTainted, type Taint, union } from "./taint.ts";
import { mixed, type Scope, taintOf } from "./values.ts";

/** The secrets in the data behind a transform. */
export function afterTransform(op: TransformOp, scope: Scope): Taint {
  switch (op.op) {
    case "transform":
      return afterArguments(op, scope);
    case "filter":
      return scope.data;
    case "nest":
      return op.lists.reduce((data, list) => afterNested(list, { ...scope, data }), scope.data);
  }
}

function afterNested({ target, values = [], body }: NestedPlan, scope: Scope): Taint {
  const valueTaints = values.length === 0 ? scope.given : values.map((value) => taintOf(value, scope));
  const path = target.op === "lit" ? stepsOf(target.value) : undefined;
  const inside = path === undefined ? mixed(scope.data) : at(scope.data, path);
  const result = body.reduce((data, op) => afterTransform(op, { ...scope, given: valueTaints, data }), inside);
  return path === undefined ? union(scope.data, mixed(result)) : replaced(scope.data, path, result);
}

function afterArguments({ use, args }: Extract<TransformOp, { op: "transform" }>, scope: Scope): Taint {
  const { data } = scope;
  const feature = recordOf("transforms", use);
  const argTaint = taintOf(args, scope);
  if (!isTainted(data) && !isTainted(argTaint)) return clean;
  if (feature.schema.context === "jq") return afterFilter(args, scope);
  const literal = written(args);
  if (feature.chooses !== undefined) return chosen(feature.chooses, literal, data);
  const edit = feature.edit?.(literal); // with null in place of what is not known, as the printer asks
  if (edit !== undefined) return inRows(data, (row) => edited(row, edit, argTaint));
  return hasKey(feature.schema) ? withKey(feature, args, scope) : mixed(data, argTaint);
}

/** True for a transform with the argument `key`, under which it writes its result. */
const hasKey = ({ properties = {}, anyOf = [] }: JsonSchema): boolean => "key" in properties || anyOf.some(hasKey);

/** The secrets behind a jq filter. A filter with markers is a text with the values beside it. */
function afterFilter(args: Expr, scope: Scope): Taint {
  const text = args.op === "map" ? memberOf(args, "text") : args;
  const values = args.op === "map" ? memberOf(args, "values") : undefined;
  const items = values?.op === "list" ? values.items : [];
  const variables = new Map(items.map((item, i) => [`__${i}`, taintOf(item, scope)] as const));
  return throughJq(text.op === "lit" ? String(text.value) : undefined, scope.data, variables);
}

/** Arguments as they are written, with null where a marker stands. */
function written(args: Expr): Json {
  if (args.op === "lit") return args.value;
  if (args.op === "list") return args.items.map(written);
  if (args.op !== "map") return null;
  const out: JsonObject = {};
  for (const [key, value] of args.entries) if (typeof key === "string") put(out, key, written(value));
  return out;
}

/**
 * The secrets after a transform that keeps, removes or takes out the values at paths. Where paths are unknown all secrets stay, which is
 * the worst case.
 */
function chosen(how: NonNullable<AnyTransform["chooses"]>, args: Json, data: Taint): Taint {
  const paths = (Array.isArray(args) ? args : [args]).map(stepsOf);
  const knownPaths = paths.flatMap((path) => (path === undefined ? [] : [path]));
  switch (how) {
    case "value":
      return knownPaths[0] === undefined ? mixed(data) : at(data, knownPaths[0]);
    case "removed":
      return knownPaths.reduce<Taint>((rest, path) => inPlace(rest, path, (place) => replaced(place, path, clean)), data);
    case "kept":
      if (knownPaths.length < paths.length) return data;
      return inPlace(data, knownPaths[0] ?? [], (place) => union(...knownPaths.map((path) => only(place, path))));
  }
}

/** The data with a change at a path. A plain name applied to a list means the member of each row. */
const inPlace = (data: Taint, [first]: readonly Step[], change: (place: Taint) => Taint): Taint =>
  typeof first === "string" && first !== "*" ? inRows(data, change) : change(data);

function only(of: Taint, path: readonly Step[]): Taint {
  const [step, ...rest] = path;
  if (step === undefined) return of;
  const here = { ...clean, anywhere: of.anywhere };
  const inside = only(at({ ...of, anywhere: [] }, [step]), rest);
  return union(here, typeof step === "string" && step !== "*" ? inMembers([[step, inside]]) : inItems(inside));
}

/** The value with `by` at a path. A change of one element of a list leaves the secrets of the other elements. */
function replaced(of: Taint, path: readonly Step[], by: Taint): Taint {
  const [step, ...rest] = path;
  if (step === undefined) return by;
  if (typeof step === "number") return union(of, inItems(replaced(of.items ?? clean, rest, by)));
  if (step === "*") {
    const inside = (each: Taint): Taint => replaced(each, rest, by);
    const members = inMembers([...of.members].map(([name, member]) => [name, inside(member)]));
    return union({ ...clean, anywhere: of.anywhere }, members, inItems(inside(of.items ?? clean)));
  }
  const others = inMembers([...of.members].filter(([name]) => name !== step));
  const inside = replaced(of.members.get(step) ?? clean, rest, by);
  const items = of.items === undefined ? clean : inItems(of.items);
  return union({ ...clean, anywhere: of.anywhere }, others, items, inMembers([[step, inside]]));
}

function edited(row: Taint, { rename = new Map(), remove, keep, set = [] }: MemberEdit, args: Taint): Taint {
  const stays = ([name]: readonly [string, Taint]): boolean =>
    !(remove?.has(name) || set.includes(name)) && (keep === undefined || keep.has(name));
  const members = [...row.members].filter(stays).map(([name, member]) => [rename.get(name) ?? name, member] as const);
  const added = set.map((name) => [name, at(args, [name])] as const);
  return union({ ...row, members: new Map() }, inMembers(members), inMembers(added));
}

/** The transform writes under its `key`, or in the place that it has read, and the rest of the data stays. */
function withKey({ hides = [] }: AnyTransform, args: Expr, scope: Scope): Taint {
  const literal = written(args);
  const { key = null, ...sources } = isObject(literal) ? literal : { value: literal };
  const place = key ?? sources.value ?? sources.json_path;
  const path = typeof place === "string" ? stepsOf(place) : undefined;
  if (hides === true) return path === undefined ? scope.data : replaced(scope.data, path, clean);
  const isShown = ([name]: readonly [string | Expr, Expr]): boolean => typeof name !== "string" || !hides.includes(name);
  const sourceTaint = taintOf(args.op === "map" ? { ...args, entries: args.entries.filter(isShown) } : args, scope);
  const result = mixed(sourceTaint, ...textsIn(sources).map((text) => namedPart(text, scope.data)));
  return path === undefined ? mixed(scope.data, result) : replaced(scope.data, path, result);
}

/** The part of the data that a text names, if the text is a path. In claims the word `all` means all of the data. */
const namedPart = (text: string, data: Taint): Taint => (text === "all" ? data : at(data, stepsOf(text) ?? []));

function textsIn(value: Json): readonly string[] {
  if (typeof value === "string") return [value];
  return isObject(value) || Array.isArray(value) ? Object.values(value).flatMap(textsIn) : [];
}

/** A path of names, indexes and `*`; undefined for any other path, and for a value that is no path. */
function stepsOf(path: Json): readonly Step[] | undefined {
  if (typeof path === "number") return [path];
  if (typeof path !== "string") return undefined;
  try {
    const steps = nodePath(path).steps.map((step) => (step === every ? "*" : step));
    return steps.every((step): step is Step => typeof step !== "object") ? steps : undefined;
  } catch {
    return undefined; // reported when it was planned
  }
}
