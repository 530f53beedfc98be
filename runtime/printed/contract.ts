// Validation of a request by its JSON Schema (`accepts`).

export {
  /** A regular expression that JavaScript matches as RE2 does, in linear time. */
  native as nativePattern,
} from "../languages/native-pattern.ts";
export {
  /** A regular expression that RE2 matches. */
  compile as pattern,
} from "../languages/regex.ts";
export {
  /** True when the request satisfies `accepts.schema`; when it does not, the run is answered with 422. */
  accepts,
} from "../languages/schema/accepts.ts";
export {
  /** True when a value of a printed validator is an object; a list is not one. */
  isAnyObject as isObject,
  /** Adds the findings of a part of a schema. */
  joined as addFindings,
  /** Adds one finding of a schema. */
  noted as addFinding,
  /** A validator of one function, which gives its findings. */
  validator,
} from "../languages/schema/findings.ts";
export {
  /** The formats of JSON Schema that no pattern describes. */
  formats as stringFormats,
} from "../languages/schema/formats.ts";
export {
  /** The length of a text in characters. */
  characters as stringLength,
} from "../languages/schema/length.ts";
export {
  /** True when a number is a multiple of another one, as decimals. */
  isMultipleOf,
} from "../languages/schema/multiples.ts";
export {
  /** The first item of a list that is equal to one before it. */
  duplicateItems,
} from "../value/duplicates.ts";
export {
  /** True when two JSON values are equal; the order of keys does not count. */
  equal as equalJson,
} from "../value/equal.ts";
