import type { JudgeName } from "../plan/start-form.ts";
import type { Json } from "../value/json.ts";

/**
 * Contexts that fix how markers inside a string field are read and filled (spec/language 2.8). Without a context, the field is text, or the
 * value itself when the scalar is one marker.
 *
 * - `source` is a path. If the scalar holds a marker, its value is the source itself and arrives as `{ value }` (spec/transforms 2.3).
 * - `expression` is text whose markers are operands, called `$0`, `$1`, … in the text. Their values are an option; in an argument of a
 *   transform, it arrives as `{ text, values }`.
 * - `shell` is a script. With markers it arrives as `{ script, values }`.
 * - `jq` is a filter, whose markers are variables called `$__0`, `$__1`, …
 * - `replacement` is a text with words such as `$1`, which only the configuration writes. With markers it arrives as a list of the written
 *   texts and of `{ value }`.
 * - `topic`, `channel` and `file_path` are names of several levels. A marker with text around it is one level; in `file_path`, a value of
 *   the configuration may be several.
 * - `text` makes a text of any value.
 * - `config` takes markers of the configuration only (PW206).
 * - `start` takes markers of `env`, `var` and `ap_var`, also in place of a list. They are read once, when the process starts.
 * - `json_file` names a file beside the configuration. The compiler reads it, and the JSON in it arrives.
 */
export type Context =
  | ("json" | "json_text" | "sql" | "shell" | "url" | "header" | "path" | "source" | "expression" | "jq")
  | ("regex" | "like" | "css" | "name" | "replacement" | "topic" | "channel" | "file_path" | "mail" | "mail_item")
  | ("config" | "static" | "start" | "json_file" | "text");

/** Things of a configuration that have names, by which other places mention them. */
export type NameKind = "action" | "database" | "interface" | "secret" | "server" | "template" | "variable";

/** Words of a schema that only the compiler reads. Schemas that are published have none of them. */
export interface CompilerWords {
  /** How markers in this string are filled; `"static"` forbids them (PW207). */
  readonly context?: Context;
  /** How markers in the keys of a map are filled. */
  readonly keys?: Context;
  /** The order of the keys counts, and JavaScript would move names such as `1`: the map arrives as a list of pairs. */
  readonly ordered?: true;
  /** A null that is written is a value. In any other field it is an absent key. */
  readonly keepsNull?: true;
  /** The judge of a value that is read at the start; it looks at more than the type. */
  readonly judge?: JudgeName;
  /** When a part is wrong, the whole record is dropped, since it would mean something else without that part. */
  readonly whole?: true;
  /** A key with a wrong value stays, with null in its place, since the keys say what the record is for. */
  readonly keepsKeys?: true;
  /** The text, or each key of the map, is the name of such a thing. */
  readonly names?: NameKind;
  /** The text, or each key of the map, gives such a thing its name. */
  readonly defines?: NameKind;
}

/**
 * JSON Schema 2020-12 with words of the compiler. Every scalar without a `context` takes a marker, and is coerced to its type after
 * evaluation (spec/language 2.7).
 */
export interface JsonSchema extends CompilerWords {
  readonly type?: string | readonly string[];
  /** The name used in messages. */
  readonly title?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly additionalProperties?: boolean | JsonSchema;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly prefixItems?: readonly JsonSchema[];
  readonly contains?: JsonSchema;
  readonly minContains?: number;
  readonly anyOf?: readonly JsonSchema[];
  readonly allOf?: readonly JsonSchema[];
  readonly enum?: readonly Json[];
  readonly const?: Json;
  readonly default?: Json;
  readonly examples?: readonly Json[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly pattern?: string;
  /** `duration` is ours: it arrives in `run` as milliseconds (spec/language 2.7). */
  readonly format?: string;
  readonly not?: JsonSchema;
  readonly deprecated?: boolean;
  readonly $ref?: string;
}
