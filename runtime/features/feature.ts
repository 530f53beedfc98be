import type { Dialect } from "../plan/dialect.ts";
import type { Act, Run } from "../run/run.ts";
import type { FoundValues, Problems, Verdict } from "../run/verdict.ts";
import type { Shape } from "../shapes/shape.ts";
import type { Json, JsonObject, Step } from "../value/json.ts";
import type { ActionFacts, MatcherFacts, MemberEdit, Secrecy, StoreTouches, TransformFacts } from "./facts.ts";
import type { JsonSchema } from "./json-schema.ts";

export type { ActionFacts, Asks, MemberEdit, TextSource } from "./facts.ts";
export type { Context, JsonSchema, NameKind } from "./json-schema.ts";

/**
 * The outside world that a feature touches: "pure" features may be folded, reordered and run twice; "limits" are settings of the process
 * that bound it.
 */
export type Effect = "pure" | "random" | "clock" | "limits" | "network" | "state";

export interface Feature {
  /** One sentence for the reference page and the editor. */
  readonly summary: string;
  readonly schema: JsonSchema;
  /**
   * The bounds that the feature enforces, for the reference: a phrase without a full stop. Absent: it has no bound but the size of its
   * data.
   */
  readonly bounds?: string;
}

/** Stage 1 is absent when the arguments are ready as they stand. */
type Staged<Args, Ready> = [Args] extends [Ready]
  ? { readonly prepare?: (args: Args) => Ready }
  : { readonly prepare: (args: Args) => Ready };

type Meaning<Ready> =
  | { readonly async?: never; readonly run: (data: Json, ready: Ready, act: Act) => Json }
  | { readonly async: true; readonly run: (data: Json, ready: Ready, act: Act) => Json | Promise<Json> };

/**
 * An entry of `post_transforms`. `run` never changes its input and throws `Failure("transform", reason)` with a text of spec/transforms 7;
 * `prepare` (stage 1: parse paths, compile patterns) throws `Reject` and is run by the compiler as a check when the arguments are static.
 */
export type Transform<Args, Ready = Args> = Feature &
  Staged<Args, Ready> &
  Meaning<Ready> &
  Secrecy &
  TransformFacts & {
    readonly effect: Effect;
    /**
     * The shape of the result. It must hold for all data of the given shape for which the transform does not fail. Absent: nothing is known
     * of the result.
     */
    readonly shape?: (data: Shape, args: ShapedArguments<Args>) => Shape;
    /** The paths in its arguments that should exist in the data, or in each row of a list. */
    readonly expects?: (args: Args) => readonly (readonly Step[])[];
    /**
     * Says how these arguments edit the members of a row, if they do nothing else. Adjacent transforms of this kind are printed as one
     * loop.
     */
    readonly edit?: (args: Args) => MemberEdit | undefined;
  };

/**
 * Arguments before the run: `known` when they hold no marker, and what is known of them in any case. Both have the form in which they
 * arrive in `prepare`: where a marker stands in a `source`, the shape is that of `{ value }`.
 */
export interface ShapedArguments<Args> {
  readonly known?: Args;
  readonly shape: Shape;
}

/**
 * How an ordering matcher measures its target: the size, or the detail of the failure when the target has the wrong type. Null has no
 * size, so no comparison with it holds.
 */
export interface Reading {
  readonly size: (target: Json) => number | string;
  /** The target is a secret: no detail shows it. */
  readonly hidden?: true;
}

/** Options of a test that reach its matchers. */
export interface MatcherOptions {
  readonly case_insensitive?: boolean;
  /** The operand is data, which a marker gave: an object is compared as a value, and its keys ask for nothing. */
  readonly isValue?: true;
  /** The key under which the matcher writes the value that it finds in its target. */
  readonly result_key?: string;
  /** How an ordering matcher reads its target; absent: a number by itself, anything else by its size. */
  readonly reading?: Reading;
  /** The values of the markers of an expression, in their order. */
  readonly values?: readonly Json[];
  /** Tests of places inside the target, by path: null when one passed. */
  readonly leaves?: Readonly<Record<string, () => Problems | FoundValues | null>>;
}

/**
 * A matcher takes the run as an argument if it reads the run, its clock or its raw body, or if it waits in the run for a key or a slow
 * hash.
 */
type Judgement<Ready> =
  | { readonly async?: never; readonly inRun?: never; readonly run: (target: Json, ready: Ready, options?: MatcherOptions) => Verdict }
  | {
      readonly async?: never;
      readonly inRun: true;
      readonly run: (target: Json, ready: Ready, cx: Run, options?: MatcherOptions) => Verdict;
    }
  | {
      readonly async: true;
      /** The only member of its operand for which it waits: where that is known to be absent, `atOnce` of the file is printed. */
      readonly waitsFor?: string;
      readonly inRun?: never;
      readonly run: (target: Json, ready: Ready, cx: Run, options?: MatcherOptions) => Verdict | Promise<Verdict>;
    };

/**
 * A test of an assert. `holds` only says whether it passes, without options and without a message, for a `filter` with many elements. The
 * detail is only the part after `<label>::<matcher>: `.
 */
export type Matcher<Operand, Ready = Operand> = Feature &
  MatcherFacts &
  Staged<Operand, Ready> &
  Judgement<Ready> & {
    /** `run` takes the options of its test. The record has to say so, because JavaScript does not count a parameter with a default. */
    readonly options?: true;
    /**
     * Describes the values that pass as a JSON Schema fragment, for contracts, OpenAPI and MCP (spec/surfaces 6.1). Several types are
     * listed likeliest first, with the keywords of each. A merge of fragments keeps the types that all of them name, and of those the
     * first.
     */
    readonly describe?: (operand: Operand) => JsonSchema;
    /** The description of the values that pass, in place of `describe`, where it is the same for every operand. */
    readonly target?: JsonSchema;
    readonly holds?: (target: Json, operand: Ready) => boolean;
    /** The part of a target's shape that may pass, never less. The operand is undefined when a run supplies it. */
    readonly shape?: (target: Shape, operand: Operand | undefined) => Shape;
    /** True for a matcher that may find values in its target (`found`); they become members of the data. */
    readonly finds?: true;
  };

/** A source of an action. Throws `Failure`; waits end by `act.signal`. */
export type Action<Args> = Feature &
  ActionFacts & {
    readonly effect: Exclude<Effect, "pure">;
    /** The shape of its data. Absent: nothing is known of them. */
    readonly shape?: (args: Shape) => Shape;
    /** The shape of the data that a failure of the service itself leaves (spec/language 5.1.4, 5.2). Absent: it leaves none. */
    readonly failure?: () => Shape;
    /** Fields whose values must never reach a log, an error or a capture. */
    readonly secret?: readonly string[];
    /** The schema of an entry of `global.<cloud>_credentials`, by cloud: the settings arrive in `run` as `credential`. */
    readonly credentials?: Readonly<Record<string, JsonSchema>>;
    readonly run: (act: Act, args: Args) => Promise<Json>;
  };

/** A filter as compiler, walker and reference page know it. A printed module imports the function of the same name. */
export interface Filter {
  /** One line for the reference page. */
  readonly summary: string;
  readonly arity: 0 | 1;
  /** Takes the instant of the attempt, in Unix milliseconds, as its last argument. */
  readonly clock?: true;
  /** The filter works on the text of a value of any type. */
  readonly takesText?: true;
  /** The result is always a string, also where the marker is the whole value. */
  readonly text?: true;
  /** True for a filter that is not a word of the language: the compiler puts it in the place of another one in a JSON template. */
  readonly internal?: true;
  /** The result reveals nothing of the value, so it is no secret. */
  readonly hides?: true;
  /**
   * The shape of the result. It is exported beside the record as `shape`, since walked bundles carry the table of records; only the
   * compiler's table has it.
   */
  readonly shape?: (value: Shape, args: readonly Shape[]) => Shape;
  readonly run: (value: Json, args: readonly Json[], now: number) => Json;
}

/** A value of `driver`. The compiler knows the dialects of SQL; a database that speaks one of them needs only its driver. */
export interface DriverFeature {
  readonly summary: string;
  /** Schemes of connection strings that choose this driver, without the colon. */
  readonly schemes: readonly string[];
  /** Keys of an entry of `global.databases` that it alone knows. */
  readonly settings?: Readonly<Record<string, JsonSchema>>;
  /** Opens its connections. A driver that speaks `documents` serves `document_operation`. */
  readonly driver: { readonly name: string; readonly speaks: Dialect | "documents" };
}

/** A value of `kind` in `global.secrets`, as the compiler sees it. Its schema has the settings that it alone reads. */
export interface StoreFacts extends Feature {
  /** Settings of which exactly one is written. */
  readonly needs: readonly string[];
  /** The setting that is the secret itself, which should not be written in clear text. */
  readonly itself?: string;
  readonly touches?: StoreTouches;
}

export interface SecretStoreFeature extends StoreFacts {
  /** Fetches the secret; the run belongs to no request. Throws `Failure` with a reason that quotes nothing of the secret. */
  readonly run: (settings: JsonObject, cx: Run) => Promise<Json>;
}

/**
 * A key of an interface that says when it runs beside requests over HTTP. The record stands in the folder of the trigger, apart from its
 * function, so that the compiler does not load what serves connections. A trigger `x` is the function `x_trigger` of
 * `runtime/triggers/x.ts`; those with `planned` have names of their own: `schedules`, `mcpTools`, `webSockets` and `mqttBroker`.
 */
export interface TriggerFeature extends Feature {
  /**
   * Phases of the compiler have code of their own for it. Absent: its settings are evaluated when it starts, by markers of `env`, `var` and
   * `ap_var`.
   */
  readonly planned?: true;
}

/**
 * A feature as the compiler sees it in its tables: facts, and functions that it calls with arguments that the schema of the feature has
 * checked. Records have functions of narrower arguments, so they are written as methods here, whose parameters TypeScript does not compare
 * strictly.
 */
export interface AnyFeature extends Feature {
  readonly effect?: Effect;
  readonly async?: true;
  /** Stage 1, for a check of static arguments. */
  prepare?(args: unknown): unknown;
}

/** A transform as the compiler sees it. */
export interface AnyTransform extends AnyFeature, Secrecy, TransformFacts {
  shape?(data: Shape, args: ShapedArguments<unknown>): Shape;
  expects?(args: unknown): readonly (readonly Step[])[];
  edit?(args: unknown): MemberEdit | undefined;
}

/** A matcher as the compiler sees it. The compiler runs a matcher that looks only at its target, to find out whether a value passes. */
export interface AnyMatcher extends AnyFeature, MatcherFacts {
  readonly inRun?: true;
  readonly options?: true;
  readonly finds?: true;
  readonly waitsFor?: string;
  readonly target?: JsonSchema;
  describe?(operand: unknown): JsonSchema;
  shape?(target: Shape, operand: unknown): Shape;
  holds?(target: Json, operand: unknown): boolean;
  /** Only a matcher that has neither `async` nor `inRun` is run by the compiler: the command of the npm package carries no other. */
  run?(target: Json, operand: unknown, ...others: unknown[]): unknown;
}

/** An action as the compiler sees it. */
export interface AnyAction extends AnyFeature, ActionFacts {
  readonly credentials?: Readonly<Record<string, JsonSchema>>;
  shape?(args: Shape): Shape;
  readonly failure?: () => Shape;
}
