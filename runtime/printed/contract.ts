// Validation of a request by its JSON Schema (`accepts`).
export {
  /** Whether the request satisfies `accepts.schema`; when it does not, the run is answered with 422. */
  accepts,
} from "../accepts.ts";
export {
  /** The first item of a list that is equal to one before it. */
  duplicateItems,
} from "../lib/duplicates.ts";
export {
  /** Whether two JSON values are equal; the order of keys does not count. */
  equal as equalJson,
} from "../lib/equal.ts";
export {
  /** A regular expression that JavaScript matches as RE2 does, in linear time. */
  native as nativePattern,
} from "../lib/native-pattern.ts";
export {
  /** A regular expression that RE2 matches. */
  compile as pattern,
} from "../lib/regex.ts";
export {
  /** Adds the findings of a part of a schema. */
  joined as addFindings,
  /** Adds one finding of a schema. */
  noted as addFinding,
} from "../lib/schema-findings.ts";
export {
  /** The formats of JSON Schema that no pattern describes. */
  formats as stringFormats,
} from "../lib/schema-formats.ts";
export {
  /** The length of a text in characters. */
  characters as stringLength,
} from "../lib/schema-length.ts";
