import type { ActionPlan, Expr, Op, Step } from "#runtime/plan/index.ts";
import { present } from "../../present.ts";
import { isSecret } from "../markers/mentions.ts";
import { settingRoots } from "../markers/scope.ts";
import { changesCase, givesText } from "./sure-text.ts";

/** The source of a value that an expression only selects: a root of markers, or an action. */
export interface Origin {
  /** A root of markers, or the name of an action that does more than pass on its input. */
  readonly root: string;
  /** The name behind the root: `NAME` in `a|env::NAME|`. */
  readonly name?: string;
  readonly path: readonly Step[];
  /** False when a default or another value may replace a missing value. */
  readonly certain: boolean;
  /** True when the value has been turned into text. */
  readonly isText?: true;
  /** True when the value is text only because of the template around the marker, as in `custom_value`. */
  readonly isCustom?: true;
}

/** The origins of the values that expressions can read. */
export interface OriginSurroundings {
  /** The origin of the data of the running action. */
  readonly data?: Origin | undefined;
  /** The origin of the element that a `filter` tests. */
  readonly item?: Origin | undefined;
  /** The values of the op around, which an expression `given` reads. */
  readonly values?: readonly Expr[];
  /** The origin of the data of each action that has ended. */
  readonly actions: ReadonlyMap<string, Origin>;
  /** The origin of the body: in a loop it is one of the items. */
  readonly body?: Origin | undefined;
  /** The surroundings of the list around, in a loop. */
  readonly outer?: OriginSurroundings;
}

/** The origin of an expression's value; undefined when the value is made rather than selected. */
export function originOf(e: Expr, around: OriginSurroundings): Origin | undefined {
  switch (e.op) {
    case "root":
      return rootOrigin(e, around);
    case "data":
      return around.data;
    case "item":
      return around.item;
    case "given": {
      const value = around.values?.[e.index];
      return value === undefined ? undefined : originOf(value, around);
    }
    case "action":
      return actionsAround(e.up ?? 0, around)?.get(e.name);
    case "at": {
      const of = originOf(e.of, around);
      return of === undefined ? undefined : below(of, e.path);
    }
    case "or": {
      const of = originOf(e.of, around);
      return of === undefined ? undefined : { ...of, certain: false };
    }
    case "jq": {
      const path = e.filter.op === "lit" ? jqPath(e.filter.value) : undefined;
      const of = path === undefined ? undefined : originOf(e.of, around);
      return path === undefined || of === undefined ? undefined : below(of, path);
    }
    case "filter":
      return filteredOrigin(e, around);
    case "text": {
      const [only, ...more] = e.parts;
      const of = typeof only === "object" && more.length === 0 ? originOf(only.of, around) : undefined;
      return of === undefined ? undefined : { ...of, isText: true, ...(of.isText ? {} : { isCustom: true }) };
    }
    case "join": {
      const [only, ...more] = e.items;
      const of = only !== undefined && more.length === 0 ? originOf(only, around) : undefined;
      return of === undefined ? undefined : { ...of, isText: true };
    }
    case "lit":
    case "count":
    case "each":
    case "start":
    case "reread":
    case "typed":
    case "list":
    case "map":
      return undefined;
  }
}

/** A part of `a|request::…|` that repeats another root has the origin of that root. */
function rootOrigin({ root, name }: Extract<Expr, { op: "root" }>, { body }: OriginSurroundings): Origin | undefined {
  if (root === "body" && body !== undefined) return body;
  return { root, ...present({ name }), path: [], certain: true };
}

function below(of: Origin, path: readonly Step[]): Origin {
  const [first, ...rest] = path;
  const isRepeated = of.root === "request" && of.path.length === 0 && (first === "params" || first === "headers");
  return isRepeated ? { ...of, root: first, path: rest } : { ...of, path: [...of.path, ...path] };
}

/** The origin behind a filter. */
function filteredOrigin({ use, of }: Extract<Expr, { op: "filter" }>, around: OriginSurroundings): Origin | undefined {
  const inner = originOf(of, around);
  if (inner === undefined || use === "stored") return inner;
  return givesText(use) || changesCase(use) ? { ...inner, isText: true } : undefined;
}

/** The path of a jq filter that only selects, such as `.a.b` or `.rows[0].id`; undefined for other filters. */
function jqPath(filter: unknown): readonly Step[] | undefined {
  if (typeof filter !== "string" || !/^\s*\.[A-Za-z_]\w*(?:\.[A-Za-z_]\w*|\[\d+\])*\s*$/.test(filter)) return undefined;
  return [...filter.matchAll(/\.(\w+)|\[(\d+)\]/g)].map(([, key, index]) => key ?? Number(index));
}

/** Roots whose values are all text. The root `request` contains these two as well. */
const transports: ReadonlySet<string> = new Set(["params", "headers"]);

/** True for a value that is text only because its transport has no other type: a parameter, a header, a setting. */
export const isTransportText = ({ root, path }: Origin): boolean => settingRoots.has(root) || (transports.has(root) && path.length > 0);

/** True for the value of a secret. */
export const isSecretOrigin = ({ root, name = "" }: Origin): boolean => isSecret(root, name);

const actionsAround = (up: number, around: OriginSurroundings | undefined): OriginSurroundings["actions"] | undefined =>
  up === 0 ? around?.actions : actionsAround(up - 1, around?.outer);

/** The expression whose value is the data of the action, without a change. */
export function sourceOf({ ops: [first] }: ActionPlan): Expr | undefined {
  return first?.op === "take" ? first.from : undefined;
}

const reshapes = ({ op }: Op): boolean => op !== "check";

/**
 * The origin of the data of each action of a list, traced through actions that only pass on their input. The actions are in start order.
 */
export function originsOf(actions: readonly ActionPlan[], around: OriginSurroundings): ReadonlyMap<string, Origin> {
  const origins = new Map<string, Origin>();
  for (const action of actions) {
    const source = action.ops.slice(1).some(reshapes) ? undefined : sourceOf(action);
    const passed = source === undefined ? undefined : originOf(source, { ...around, actions: origins });
    origins.set(action.name, passed ?? { root: action.name, path: [], certain: true });
  }
  return origins;
}
