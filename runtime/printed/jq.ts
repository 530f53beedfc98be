// Filters of jq as code. Values, errors and order are those of jq 1.8.2; where a value is not sure the function gives up, and jq itself
// runs the filter.
export {
  /** `.[]` */
  each as jq_each,
  /** `.[]?` */
  eachIfAny as jq_eachIfAny,
  /** `.["key"]` and `.[0]` */
  get as jq_get,
  /** `.[f]` */
  index as jq_index,
  /** `map` */
  map as jq_map,
  /** `.a.b[0]` */
  path as jq_path,
  /** `.[from:to]` */
  slice as jq_slice,
} from "../languages/jq/access.ts";
export {
  /** `abs` */
  abs as jq_abs,
  /** `ceil` */
  ceil as jq_ceil,
  /** `/` */
  divided as jq_divided,
  /** `floor` */
  floor as jq_floor,
  /** `-` */
  minus as jq_minus,
  /** `-f` */
  negative as jq_negative,
  /** `+` */
  plus as jq_plus,
  /** `%` */
  remainder as jq_remainder,
  /** `round` */
  round as jq_round,
  /** `sqrt` */
  sqrt as jq_sqrt,
  /** `*` */
  times as jq_times,
} from "../languages/jq/arithmetic.ts";
export {
  /** `tojson` */
  tojson as jq_tojson,
  /** `type` */
  type as jq_type,
} from "../languages/jq/dump.ts";
export {
  /** `try f catch g` */
  caught as jq_caught,
  /** `[f]` */
  collect as jq_collect,
  /** `error` */
  error as jq_error,
  /** `first(f)` */
  firstOf as jq_firstOf,
  /** An operator whose operands jq evaluates from the right; jq itself reports an error. */
  inAnyOrder as jq_inAnyOrder,
  /** `try f` and `f?` of one output. */
  orNothing as jq_orNothing,
  /** `f // g` */
  otherwise as jq_otherwise,
  /** The outputs of a whole filter: none is null, one is itself, several are a list. */
  outputs as jq_outputs,
  /** `f | g` where `g` reads its input several times. */
  pipe as jq_pipe,
  /** `range(from; to)` and `range(from; to; by)` */
  range as jq_range,
  /** `reduce f as $x (initial; update)` */
  reduce as jq_reduce,
  /** An operator whose operands may both fail: the right one is evaluated first. */
  rightFirst as jq_rightFirst,
} from "../languages/jq/flow.ts";
export {
  /** `add` */
  add as jq_add,
  /** `all` */
  all as jq_all,
  /** `any` */
  any as jq_any,
  /** `flatten` */
  flatten as jq_flatten,
  /** `group_by` */
  group_by as jq_group_by,
  /** `max` */
  max as jq_max,
  /** `max_by` */
  max_by as jq_max_by,
  /** `min` */
  min as jq_min,
  /** `min_by` */
  min_by as jq_min_by,
  /** `reverse` */
  reverse as jq_reverse,
  /** `sort` */
  sort as jq_sort,
  /** `sort_by` */
  sort_by as jq_sort_by,
  /** `unique` */
  unique as jq_unique,
  /** `unique_by` */
  unique_by as jq_unique_by,
} from "../languages/jq/lists.ts";
export {
  /** `from_entries` */
  from_entries as jq_from_entries,
  /** `has` */
  has as jq_has,
  /** `keys` */
  keys as jq_keys,
  /** `keys_unsorted` */
  keys_unsorted as jq_keys_unsorted,
  /** `length` */
  length as jq_length,
  /** `map_values` */
  map_values as jq_map_values,
  /** An object constructor. */
  object as jq_object,
  /** `to_entries` */
  to_entries as jq_to_entries,
  /** `with_entries` */
  with_entries as jq_with_entries,
} from "../languages/jq/objects.ts";
export {
  /** `>` */
  above as jq_above,
  /** `>=` */
  atLeast as jq_atLeast,
  /** `<=` */
  atMost as jq_atMost,
  /** `<` */
  below as jq_below,
  /** `==` */
  equal as jq_equal,
  /** `not` */
  not as jq_not,
  /** True when a condition counts as true: everything does but false and null. */
  truthy as jq_truthy,
  /** `!=` */
  unequal as jq_unequal,
} from "../languages/jq/order.ts";
export {
  /** `ascii_downcase` */
  ascii_downcase as jq_ascii_downcase,
  /** `ascii_upcase` */
  ascii_upcase as jq_ascii_upcase,
  /** `@base64` */
  base64 as jq_base64,
  /** `endswith` */
  endswith as jq_endswith,
  /** `fromjson` */
  fromjson as jq_fromjson,
  /** A text with filters inside. */
  interpolated as jq_interpolated,
  /** `join` */
  join as jq_join,
  /** `ltrim` */
  ltrim as jq_ltrim,
  /** `ltrimstr` */
  ltrimstr as jq_ltrimstr,
  /** `rtrim` */
  rtrim as jq_rtrim,
  /** `rtrimstr` */
  rtrimstr as jq_rtrimstr,
  /** `split` */
  split as jq_split,
  /** `startswith` */
  startswith as jq_startswith,
  /** `tonumber` */
  tonumber as jq_tonumber,
  /** `tostring` */
  tostring as jq_tostring,
  /** `trim` */
  trim as jq_trim,
  /** `@uri` */
  uri as jq_uri,
} from "../languages/jq/text.ts";
export {
  /** `path = value` */
  assign as jq_assign,
  /** `del(path)` */
  remove as jq_remove,
  /** `path |= f` */
  update as jq_update,
} from "../languages/jq/update.ts";
