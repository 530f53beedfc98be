import type { ActionListPlan, DatabasePlan, Span } from "#runtime/plan/index.ts";
import type { Json } from "#runtime/value/json.ts";
import type { ArgumentPlace } from "../jq/print/argument.ts";
import type { Code, Line } from "./code.ts";
import type { ExprPlace } from "./exprs.ts";
import type { Imports } from "./imports.ts";
import type { Names } from "./names.ts";
import type { EditOf } from "./row-loop.ts";

/** The questions of the printer about features; generated/features.ts answers them. */
export interface FeatureFacts {
  readonly staged: (kind: "transforms" | "matchers", feature: string) => boolean;
  /** True when stage 1 gives the arguments back as they are, such as the index of a row. */
  readonly unchanged: (kind: "transforms" | "matchers", feature: string, args: Json) => boolean;
  /** True when the matcher takes the run. */
  readonly inRun: (matcher: string) => boolean;
  /** True when the matcher waits for some operands. */
  readonly mayWait: (matcher: string) => boolean;
  /** True when the transform takes data and arguments alone. */
  readonly pure: (transform: string) => boolean;
  readonly edit: EditOf;
  /** Where the arguments of a transform have a jq filter. */
  readonly jq: (transform: string) => ArgumentPlace | undefined;
  /** Where the arguments have a regular expression. */
  readonly pattern: (kind: "transforms" | "matchers", feature: string) => ArgumentPlace | undefined;
  /** The feature looks for all matches of its pattern. */
  readonly everyMatch: (kind: "transforms" | "matchers", feature: string) => boolean;
  /** The source of a pattern that JavaScript runs as our engine does, and in linear time: one match, or all matches of a text. */
  readonly native: (pattern: string, every?: boolean) => string | undefined;
  /** True when the matcher looks at the options of its test. */
  readonly optioned: (matcher: string) => boolean;
}

/** Where the ops of one action are printed. */
export interface ActionPlace extends ExprPlace {
  readonly features: FeatureFacts;
  /** True when the run keeps what its actions began with, for the record of it. */
  readonly captured: boolean;
  readonly database: (name: string) => Code;
  readonly speaks: (database: string) => DatabasePlan["speaks"];
  /** The constant of a secret, or the name of a managed variable. */
  readonly secret: (name: string) => Code;
  /** The actions of a loop: a list of their own. `run` is the parameter of the function that declares them. */
  readonly nested: (list: ActionListPlan) => { readonly run: Code; readonly lines: Line[] };
  /** Names a module constant for stage 1 of a static argument; `about` tells it from others of the action. */
  readonly hoist: (role: string, value: Code, at: Span | undefined, about?: string) => Code;
}

/** The module that an interface is printed into. */
export interface ModulePlace {
  readonly imports: Imports;
  readonly features: FeatureFacts;
  /** Module-level identifiers. */
  readonly names: Names;
  /** Names of its types. */
  readonly types: Names;
  /** The type of a body that the interface takes. */
  readonly accepted: Code | undefined;
  /** Words an identifier inside `run` may not shadow. */
  readonly taken: ReadonlySet<string>;
  readonly database: (name: string) => Code;
  readonly speaks: (database: string) => DatabasePlan["speaks"];
  /** The constant of a secret, or the name of a managed variable. */
  readonly secret: (name: string) => Code;
  /** Keeps where a field stands that is read at the start. */
  readonly keepPlace: (path: string, at: Span) => void;
  /** The function that reads the network policy of the configuration, where it is read at the start. */
  readonly networkStart: Code | undefined;
  /** File and line of a place, for a comment. */
  readonly where: (at: Span) => Code;
}
