import type { ActionPlan, Expr } from "#runtime/plan/index.ts";
import { any, memberOf, type Shape } from "#runtime/shapes/shape.ts";
import { oneLine, wildcard } from "#runtime/testing/wildcard.ts";
import type { AnalysedInterface } from "../../5-analyse/analysed.ts";
import { listed, type Reads } from "./reads.ts";

/** A part of the outside to which an action sends requests. */
export interface OutsidePlace {
  readonly action: ActionPlan;
  readonly kind: "call" | "query";
  /** True for requests to this place: the argument is the address without its query, or the database and the text of a query. */
  readonly fits: (asked: string) => boolean;
}

/** A place with the shapes of its answers: the known shapes, and the shapes that are read. */
export interface Source extends OutsidePlace {
  readonly shapes: readonly Shape[];
}

/** The text of a call for `fits`. */
export const callOf = (url: string): string => url.split("?", 1)[0] ?? "";

/** The text of a query for `fits`. */
export const queryOf = (database: string, text: string): string => `${database}: ${oneLine(text)}`;

/** The places of the calls and queries of actions. */
export const placesOf = (actions: readonly ActionPlan[]): readonly OutsidePlace[] =>
  listed(actions).flatMap((action) =>
    action.ops.flatMap((op): readonly OutsidePlace[] => {
      if (op.op === "query") return [{ action, kind: "query", fits: fitting(queryOf(op.database, patternOf(op.args, "query") ?? "*")) }];
      const url = op.op === "call" ? patternOf(op.args, "url") : undefined;
      return url === undefined ? [] : [{ action, kind: "call", fits: fitting(callOf(url)) }];
    }),
  );

/** The places of an interface, with the shapes of their answers. */
export function sourcesOf({ actions, shapes }: AnalysedInterface, reads: Reads): readonly Source[] {
  return placesOf(actions).map((place): Source => {
    const { name } = place.action;
    const both = [shapes.actions.get(name)?.data ?? any, reads.action(name)];
    return { ...place, shapes: place.kind === "call" ? both.map(bodyIn) : both };
  });
}

function fitting(pattern: string): OutsidePlace["fits"] {
  const expression = wildcard(pattern);
  return (asked) => expression.test(asked);
}

const bodyIn = (shape: Shape): Shape => (shape.type === "object" ? (memberOf(shape, "body")?.shape ?? any) : any);

/** The text of an argument, with `*` for the parts that a run fills in; undefined if there is no such argument. */
function patternOf(args: Expr, name: string): string | undefined {
  const value = args.op === "map" ? args.entries.find(([key]) => key === name)?.[1] : undefined;
  if (args.op === "lit") {
    const literal = (args.value as Readonly<Record<string, unknown>> | null)?.[name]; // the arguments of an action are a map
    return typeof literal === "string" ? literal : undefined;
  }
  if (value === undefined) return undefined;
  if (value.op === "lit") return String(value.value);
  return value.op === "text" ? value.parts.map((part) => (typeof part === "string" ? part : "*")).join("") : "*";
}
