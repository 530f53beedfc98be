// Facts in the records of features that only the compiler reads.

/**
 * How secrets go through a transform (compiler/5-analyse/secret-flow). With neither word, each part of the result may hold any part of the
 * data and the arguments.
 */
export interface Secrecy {
  /**
   * True when the result is a hash, a signature or cipher text, from which the data and the arguments cannot be derived. A list: only these
   * arguments are hidden.
   */
  readonly hides?: true | readonly string[];
  /** The arguments are paths of what the transform keeps or removes, or of the value that it gives. */
  readonly chooses?: "kept" | "removed" | "value";
}

/**
 * The fields of an action whose values other parties see or keep; of an address its path and its query. A `*` in a path to a field is each
 * item of a list.
 */
export type Reveals = Readonly<
  Partial<
    Record<
      "address" | "argument" | "file" | "topic" | "channel" | "message" | "mail" | "prompt" | "state" | "metric",
      readonly (readonly string[])[]
    >
  >
>;

/** The things outside that a store of secrets touches, for the manifest: the settings that name them. */
export interface StoreTouches {
  /** The setting with the command line that the store runs. */
  readonly command?: string;
  /** The setting with the block of an `http` action that the store calls. */
  readonly http?: string;
  /** The service of AWS that the store calls. */
  readonly aws?: string;
  /** Settings with the paths of files. */
  readonly files?: readonly string[];
}

/**
 * Checks of single fields of a block, the same as those of `run`. Each takes any JSON, and throws `Failure` for a value that can only fail.
 * Checks of a record stand below its key, those of a credential below `credential`. The compiler applies them to written values (PW490).
 */
export interface Asks {
  readonly [field: string]: Asks | ((value: never) => unknown);
}

/**
 * The facts about an action that the compiler knows beside its schema. Its block stands under the name of its file, as a key of an action
 * of the YAML.
 */
export interface ActionFacts {
  /** True for an action that fails by statuses of HTTP, which `retry.on` may name. */
  readonly statuses?: true;
  /**
   * How the action is written. Absent: its key is the source of data, of which an action has one. `fields`: it is a source, too, but its
   * fields are keys of the action itself. `part`: it works on a source that is another key of the action.
   */
  readonly written?: "fields" | "part";
  /** Fields of the block that may also be keys of the action. */
  readonly beside?: readonly string[];
  /**
   * Names of addresses that it connects to, each with the way to its field. One that comes out of data is named in `from_data`, so that
   * `run` checks it.
   */
  readonly addresses?: Readonly<Record<string, readonly string[]>>;
  /**
   * The origin of the data of the action, for such checks. Absent: a service. `request`: a caller sends them to this service. A list: the
   * fields of these names. `data`: they are a part of the data that the action has.
   */
  readonly origin?: "configuration" | "request" | "data" | readonly string[];
  readonly reveals?: Reveals;
  readonly asks?: Asks;
  /** Members of its data that are secrets, each by the field of the block that asks for them. */
  readonly issues?: Readonly<Record<string, readonly string[]>>;
  /** True for an action whose field `stream` makes it read a stream, which `stream` of the interface may forward. */
  readonly streams?: true;
  /** The path in its data of the value that `data_type` reads. */
  readonly decodes?: readonly string[];
  /** The part of the process that it needs: the MQTT broker, the channels, the state store, or a caller who is answered. */
  readonly needs?: "mqtt" | "channels" | "state" | "answer";
  /** The action makes several calls, and `retry` repeats the one that fails. Absent: it repeats the whole action. */
  readonly retries?: "calls";
}

/**
 * The facts by which the compiler knows how a tested value and the other matchers of its test are meant. Without any of them a matcher says
 * nothing about the type of its target.
 */
export interface MatcherFacts {
  /**
   * The side of the operand on which values pass, for a matcher that holds a number, or the size of anything else, against a bound.
   * `from`, `to` and `within` include the bound itself.
   */
  readonly orders?: "above" | "from" | "below" | "to" | "within";
  /** True for a matcher that tells a number from a text: beside it a bound on the same value is read in one way only. */
  readonly typed?: true;
  /** A parameter with it is meant as a text, so that no comparison with a number is missed. */
  readonly meansText?: true;
  /** The reading of a value from a transport that knows only texts, such as a parameter or a header. */
  readonly readsText?: "text_number" | "text_boolean";
  /** True when target and operand alone decide, for targets of every type: the compiler asks such a matcher to find contradictions. */
  readonly decides?: true;
  /** True for a matcher that null may be compared with: only a marker that is unset is no operand of it. */
  readonly comparesNull?: true;
  /** True for a matcher that compares with the members of a list or map: a marker in one of them has to be set, too. */
  readonly comparesMembers?: true;
  /** True when a map as the operand asks for another comparison. A whole marker is a value there, even if it gives a map. */
  readonly hasForms?: true;
  /** True when only a caller who knows a secret can pass: a test with this matcher authenticates the caller. */
  readonly proves?: true;
}

/**
 * The edit of the root members of an object by a transform, as far as it is known without running it: each name is literal and stands once.
 * Adjacent transforms that can say their edits are printed as one loop over the rows. `data` of another type fails in all of them alike
 * (spec/transforms 4).
 */
export interface MemberEdit {
  /** New names by old ones, all applied at once. A renamed member keeps its place, and replaces a member that had the new name. */
  readonly rename?: ReadonlyMap<string, string>;
  readonly remove?: ReadonlySet<string>;
  /** Names of the members that stay; all others are removed. Elements that are no objects become empty. */
  readonly keep?: ReadonlySet<string>;
  /**
   * Members whose values are the arguments of the same names. An existing member keeps its place. Null becomes an object of these members
   * instead of failing.
   */
  readonly set?: readonly string[];
}

/**
 * Where a feature makes texts of what may be numbers: in the members of rows, anywhere in a tree, or at the paths that its argument of this
 * name holds.
 */
export type TextSource = "rows" | "tree" | "key" | "keys";

/** The facts of a transform about the texts that it reads and makes. */
export interface TransformFacts {
  /**
   * The transform looks for all matches of its pattern in a text. A pattern that reads far beyond each match is then run by our engine,
   * because only that one can bound the reading.
   */
  readonly everyMatch?: true;
  /** True when the result is only a part of the data, without the rest of the response. */
  readonly extracts?: true;
  /** Where it makes texts of what may be numbers. */
  readonly texts?: TextSource;
}
