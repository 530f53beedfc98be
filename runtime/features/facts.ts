// Facts in the records of features that only the compiler reads.

/**
 * How secrets go through a transform (compiler/5-analyse/secret-flow). With neither word, each part of the result may hold any part of the
 * data and the arguments.
 */
export interface Secrecy {
  /**
   * True when the result is a hash, a signature or cipher text, from which nobody can tell the data and the arguments. A list: only these
   * arguments are hidden.
   */
  readonly hides?: true | readonly string[];
  /** The arguments are paths of what the transform keeps or removes, or of the value that it gives. */
  readonly chooses?: "kept" | "removed" | "value";
}

/**
 * The fields of an action whose values others get to see or keep: of an address its path and its query. A `*` on the way is each item of a
 * list.
 */
export type Reveals = Readonly<
  Partial<
    Record<
      "address" | "argument" | "file" | "topic" | "channel" | "message" | "mail" | "prompt" | "state" | "metric",
      readonly (readonly string[])[]
    >
  >
>;

/**
 * Asks single fields of a block what `run` asks of them; each takes any JSON, and throws `Failure` for a value that can only fail.
 * Questions to a record stand below its key, those to a credential below `credential`. Written values are asked when compiling (PW490).
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
   * Absent: the key is a source of data, of which an action has one. `fields`: a source, too, but what it takes stands beside it, as keys
   * of the action. `part`: it works on a source that stands beside it.
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
   * Where what it gives comes from, for such checks. Absent: from a service. `request`: somebody sends it to this service. A list: from the
   * fields of that name. `data`: it gives part of what the action has.
   */
  readonly origin?: "configuration" | "request" | "data" | readonly string[];
  readonly reveals?: Reveals;
  readonly asks?: Asks;
  /** Members of its data that are secrets, each by the field of the block that asks for them. */
  readonly issues?: Readonly<Record<string, readonly string[]>>;
  /** Where in its data the value is that is read by its `data_type`. */
  readonly decodes?: readonly string[];
  /** The part of the process that it needs: the MQTT broker, the channels, the state store, or somebody who answers. */
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
  /** Only a caller who knows a secret can pass: a test of it authenticates. */
  readonly proves?: true;
}

/**
 * The edit of the root members of an object by a transform, known without running it: each name is literal and stands once. Transforms in a
 * row that can say it are printed as one loop over the rows; `data` of another type fails in all of them alike (spec/transforms 4).
 */
export interface MemberEdit {
  /** New names by old ones: all at one go, a renamed member keeps its place and replaces one that has the new name. */
  readonly rename?: ReadonlyMap<string, string>;
  readonly remove?: ReadonlySet<string>;
  /** The rest goes; elements that are no objects become empty. */
  readonly keep?: ReadonlySet<string>;
  /**
   * Members whose values are the arguments of the same names; an existing one keeps its place. Null becomes an object of them instead of
   * failing.
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
  /** The result is a part of the data: a whole response has been left behind. */
  readonly extracts?: true;
  /** Where it makes texts of what may be numbers. */
  readonly texts?: TextSource;
}
