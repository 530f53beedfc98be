import type { ActionListPlan, DatabasePlan, Span } from "#runtime/plan/index.ts";
import type { Json } from "#runtime/value/json.ts";
import type { ArgumentPlace } from "../jq/print/argument.ts";
import type { Code, Line } from "./code.ts";
import type { ExprPlace } from "./exprs.ts";
import type { Imports } from "./imports.ts";
import type { Names } from "./names.ts";
import type { EditOf } from "./row-loop.ts";

/** The facts about features that the printer needs; generated/features.ts has them. */
export interface FeatureFacts {
  readonly staged: (kind: "transforms" | "matchers", feature: string) => boolean;
  /** True when stage 1 returns the arguments unchanged, such as the index of a row. */
  readonly unchanged: (kind: "transforms" | "matchers", feature: string, args: Json) => boolean;
  /** True when the matcher takes the run. */
  readonly inRun: (matcher: string) => boolean;
  /** True when the matcher waits for some operands. */
  readonly mayWait: (matcher: string) => boolean;
  /** True when the transform takes only data and arguments. */
  readonly pure: (transform: string) => boolean;
  readonly edit: EditOf;
  /** The place of a jq filter in the arguments of a transform. */
  readonly jq: (transform: string) => ArgumentPlace | undefined;
  /** The place of a regular expression in the arguments. */
  readonly pattern: (kind: "transforms" | "matchers", feature: string) => ArgumentPlace | undefined;
  /** True when the feature searches for all matches of its pattern. */
  readonly everyMatch: (kind: "transforms" | "matchers", feature: string) => boolean;
  /**
   * The source of a pattern that JavaScript runs with the same result as our engine, in linear time. `every` asks for all matches of a text
   * instead of one.
   */
  readonly native: (pattern: string, every?: boolean) => string | undefined;
  /** True when the matcher reads the options of its test. */
  readonly optioned: (matcher: string) => boolean;
}

/** The place at which the ops of one action are printed. */
export interface ActionPlace extends ExprPlace {
  readonly features: FeatureFacts;
  /** True when the run records the inputs of its actions. */
  readonly captured: boolean;
  readonly database: (name: string) => Code;
  readonly speaks: (database: string) => DatabasePlan["speaks"];
  /** The constant of a secret, or the name of a managed variable. */
  readonly secret: (name: string) => Code;
  /** The actions of a loop: a list of their own. `run` is the parameter of the function that declares them. */
  readonly nested: (list: ActionListPlan) => { readonly run: Code; readonly lines: Line[] };
  /** Names a module constant for stage 1 of a static argument; `about` distinguishes it from other constants of the action. */
  readonly hoist: (role: string, value: Code, at: Span | undefined, about?: string) => Code;
}

/** The module that an interface is printed into. */
export interface ModulePlace {
  readonly imports: Imports;
  readonly features: FeatureFacts;
  /** The identifiers at the level of the module. */
  readonly names: Names;
  /** The names of the types of the module. */
  readonly types: Names;
  /** The type of a body that the interface accepts. */
  readonly accepted: Code | undefined;
  /** Words an identifier inside `run` may not shadow. */
  readonly taken: ReadonlySet<string>;
  readonly database: (name: string) => Code;
  readonly speaks: (database: string) => DatabasePlan["speaks"];
  /** The constant of a secret, or the name of a managed variable. */
  readonly secret: (name: string) => Code;
  /** Stores the place of a field that is read at the start. */
  readonly keepPlace: (path: string, at: Span) => void;
  /** The function that reads the network policy of the configuration at the start; undefined if it is fixed. */
  readonly networkStart: Code | undefined;
  /** File and line of a place, for a comment. */
  readonly where: (at: Span) => Code;
}
