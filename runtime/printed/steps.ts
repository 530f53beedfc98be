// Steps of an action.
export {
  /** `filter` with a condition that waits. */
  asyncFilter,
  /** `passes` with a matcher that waits. */
  asyncPasses,
  /** `filter`: keeps the elements that pass every condition. */
  filter,
  /** Whether every matcher of a condition passes. */
  passes,
} from "../filter.ts";
export {
  /** The output of a filter of jq; where jq itself has to run it, the action waits for a thread. */
  jqLater,
  /** The output of a filter of jq where nothing can wait. */
  jqNow,
} from "../lib/jq.ts";
export {
  /** A path of a transform, parsed once. */
  nodePath,
} from "../lib/path.ts";
export {
  /** `lookup`: runs the actions of the loop for each item of a list. */
  lookup,
} from "../lookup.ts";
export {
  /** All filters of markers by name, for an interpreted interface. */
  filters,
} from "../markers/filters.ts";
export {
  /** `nested_transforms` with a transform that waits. */
  asyncNested,
  /** `nested_transforms`: applies transforms to each value that a path matches. */
  nested,
} from "../nested.ts";
export {
  /** `pick` with a test that waits. */
  asyncPick,
  /** `input` with conditions: the first entry whose tests pass. */
  pick,
} from "../pick.ts";
export {
  /** Several transforms of root members in one loop over the rows. */
  each_row,
} from "../rows.ts";
export {
  /** Interprets a plan (`disable_fastpath`). */
  walk,
} from "../walk.ts";
