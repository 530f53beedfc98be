// Values of markers.
export {
  /** Sets a member whose name may be any, `__proto__` included. */
  put as putMember,
} from "../value/json.ts";
export {
  /** The instant in Unix milliseconds, in the format that the marker names. */
  timestamp,
} from "../value/timestamp.ts";
export {
  /** The value at a path; null where a step leads nowhere. */
  at,
  /** The value as a boolean for the named field; null stays null. */
  boolean as asBoolean,
  /** `count()`: elements of a list, keys of an object, characters of a text; 0 for null. */
  count,
  /** `[*]`: the values at the path of each element, in order. */
  each,
  /** An object whose keys hold markers: an entry with an empty key is left out, and of equal keys the last counts. */
  entries,
  /** A key that holds markers, as text; null when it is empty. */
  entryKey,
  /** The value as a whole number for the named field; null stays null. */
  integer as asInteger,
  /** A text that consists of markers alone: null when all are unset. */
  join,
  /** A duration as milliseconds: a number, or a text such as `5s`. */
  milliseconds,
  /** The value of a field that must not be absent; the action fails when it is. */
  needed,
  /** The value as a text for the named field, which must not be absent; the action fails when it is. */
  neededString,
  /** The value as a number for the named field; null stays null. */
  number as asNumber,
  /** A value of a JSON template: a text that reads as a number, a boolean or null is that value. */
  reread,
  /** The value as text; null stays null. */
  string as asString,
  /** The value as a list of texts; a single text is a list of one. */
  strings as asStrings,
  /** The value as text: null is empty, and objects and lists are JSON. */
  text,
} from "../value/values.ts";
