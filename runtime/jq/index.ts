// What compiled jq filters call. Values, errors and order are those of jq 1.8.2; what is not sure gives up, and jq itself runs the filter.

export { each, eachIfAny, get, index, map, path, slice } from "./access.ts";
export { abs, ceil, divided, floor, minus, negative, plus, remainder, round, sqrt, times } from "./arithmetic.ts";
export { tojson, type } from "./dump.ts";
export {
  caught,
  collect,
  error,
  firstOf,
  inAnyOrder,
  orNothing,
  otherwise,
  outputs,
  pipe,
  range,
  reduce,
  rightFirst,
} from "./flow.ts";
export {
  add,
  all,
  any,
  flatten,
  group_by,
  max,
  max_by,
  min,
  min_by,
  reverse,
  sort,
  sort_by,
  unique,
  unique_by,
} from "./lists.ts";
export { from_entries, has, keys, keys_unsorted, length, map_values, object, to_entries, with_entries } from "./objects.ts";
export { above, atLeast, atMost, below, equal, not, truthy, unequal } from "./order.ts";
export {
  ascii_downcase,
  ascii_upcase,
  base64,
  endswith,
  fromjson,
  interpolated,
  join,
  ltrim,
  ltrimstr,
  rtrim,
  rtrimstr,
  split,
  startswith,
  tonumber,
  tostring,
  trim,
  uri,
} from "./text.ts";
export { assign, remove, update } from "./update.ts";
