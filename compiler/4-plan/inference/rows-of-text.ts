import { actions, transforms } from "#generated/features.ts";
import type { AnyAction, AnyTransform, TextSource } from "#runtime/features/feature.ts";
import { type ConversionArgument, documentConversion } from "#runtime/paths/conversion.ts";
import { isKey, lastName, type PathStep } from "#runtime/paths/nodes.ts";
import { type NodePath, nodePath } from "#runtime/paths/path.ts";
import type { Expr, Step } from "#runtime/plan/index.ts";
import { textsOf } from "#runtime/shapes/formats.ts";
import { Reject } from "#runtime/value/failure.ts";
import { asList, isObject, type Json, own } from "#runtime/value/json.ts";

/**
 * A place in data whose values are texts although numbers may be meant. `numbers` names the members that were turned into numbers later.
 */
export interface TextRows {
  /** The path of the rows, the tree or the text in the data. */
  readonly path: readonly Step[];
  readonly form: "rows" | "tree" | "text";
  /** The name of the transform or setting that has made the texts, for messages. */
  readonly by: string;
  readonly numbers: ReadonlySet<string>;
}

const features: Readonly<Record<string, AnyTransform>> = transforms;
const sources: Readonly<Record<string, AnyAction>> = actions;

/** Transforms that only remove members or rows, and leave the other values as they are. */
const neutral: ReadonlySet<string> = new Set(["keep_attributes", "remove_attributes", "remove_keys"]);

/** The facts about texts that still hold after a transform. */
export function afterTransform(rows: readonly TextRows[], use: string, args: Expr): readonly TextRows[] {
  if (neutral.has(use)) return rows;
  const value = args.op === "lit" ? args.value : undefined;
  if (use === "numerics") return value === undefined ? [] : withNumbers(rows, value);
  const { texts } = features[use] ?? {};
  const places = texts === undefined ? [] : placesOf(texts, args, value).map((path) => textsAt(path, texts, use));
  return places.length === 0 ? [] : [...rows.filter((one) => !places.some(({ path }) => isSame(one.path, path))), ...places];
}

/** The facts about the data of an action whose `data_type` is known. */
export function afterCall(use: string, args: Expr): readonly TextRows[] {
  const type = memberOf(args, "data_type");
  const texts = typeof type === "string" ? textsOf[type] : undefined;
  const path = sources[use]?.decodes;
  return texts === undefined || path === undefined ? [] : [textsAt(path, texts, `data_type: ${String(type)}`)];
}

const textsAt = (path: readonly Step[], texts: TextSource, by: string): TextRows => {
  const form = texts === "rows" || texts === "tree" ? texts : "text";
  return { path, form, by, numbers: new Set() };
};

/** The paths at which a transform writes texts: the result of a conversion of a document, or the paths in an argument. */
function placesOf(texts: TextSource, args: Expr, value: Json | undefined): readonly (readonly Step[])[] {
  const names = texts === "key" || texts === "keys" ? memberOf(args, texts) : undefined;
  if (names !== undefined) return (Array.isArray(names) ? names : [names]).flatMap((name) => placeOf(pathIn(name)));
  if (value === undefined || texts === "key" || texts === "keys") return [];
  const conversion = unlessRefused(() => documentConversion(value as ConversionArgument)); // phase 2 has checked the arguments
  return placeOf(conversion?.key ?? conversion?.from);
}

const placeOf = (path: NodePath | undefined): readonly (readonly Step[])[] => {
  const steps = path === undefined ? undefined : keysOf(path);
  return steps === undefined ? [] : [steps];
};

/** The value of a member of arguments; undefined when it holds a marker. */
function memberOf(args: Expr, name: string): Json | undefined {
  if (args.op === "lit") return isObject(args.value) ? own(args.value, name) : undefined;
  const value = args.op === "map" ? args.entries.find(([key]) => key === name)?.[1] : undefined;
  return value?.op === "lit" ? value.value : undefined;
}

/** The rows after `numerics`. The last name of a path may be a member of any of the rows, so all rows get it. */
function withNumbers(rows: readonly TextRows[], args: Json): readonly TextRows[] {
  const names = asList(args).map((field) => lastName(pathIn(field)?.steps ?? []));
  if (names.includes(undefined)) return [];
  return rows.map((one) => ({ ...one, numbers: new Set([...one.numbers, ...names.map((name) => name ?? "")]) }));
}

/** The maker of the text at a path, in words; undefined when the value may be something else. */
export const makerOf = (rows: readonly TextRows[], path: readonly Step[]): string | undefined =>
  rows.find((one) => isSame(path.slice(0, one.path.length), one.path) && isText(one, path) && !one.numbers.has(nameOf(path)))?.by;

const nameOf = (path: readonly Step[]): string =>
  path.findLast((step) => typeof step === "string" && !/^\d+$/.test(step))?.toString() ?? "";

function isText({ form, path: { length } }: TextRows, path: readonly Step[]): boolean {
  const [first, member, ...more] = path.slice(length);
  switch (form) {
    case "rows":
      return more.length === 0 && typeof member === "string" && isIndex(first);
    case "tree":
      return first !== undefined;
    case "text":
      return member === undefined && (first === undefined || isIndex(first));
  }
}

const isIndex = (step: Step | undefined): boolean => typeof step === "number" || /^\d+$/.test(step ?? "");

/** A path of keys only, as steps; undefined when it may name several places. */
const keysOf = ({ steps }: { readonly steps: readonly PathStep[] }): readonly Step[] | undefined =>
  steps.every(isKey) ? steps : undefined;

const pathIn = (text: Json): NodePath | undefined => unlessRefused(() => nodePath(text === null ? null : String(text)));

/** The steps of a path; undefined unless the path is static and names one place. */
export function stepsOf(target: Expr): readonly Step[] | undefined {
  const path = target.op === "lit" ? pathIn(target.value) : undefined;
  return path === undefined ? undefined : keysOf(path);
}

/** The result of `prepare`; undefined for refused arguments, which were reported at their place. */
function unlessRefused<V>(prepare: () => V): V | undefined {
  try {
    return prepare();
  } catch (error) {
    if (error instanceof Reject) return undefined;
    throw error;
  }
}

const isSame = (a: readonly Step[], b: readonly Step[]): boolean => a.length === b.length && a.every((step, i) => step === b[i]);
