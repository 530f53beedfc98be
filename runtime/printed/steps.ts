// Steps of an action.

export {
  /** All filters of markers by name, for an interpreted interface. */
  filters,
} from "../features/filters/index.ts";
export {
  /** The output of a filter of jq; where jq itself has to run it, the action waits for a thread. */
  asyncJq,
  /** The output of a filter of jq where nothing can wait. */
  jq,
} from "../languages/jq.ts";
export {
  /** A path of a transform, parsed once. */
  nodePath,
  /** The path of the data itself. */
  wholeData,
} from "../paths/path.ts";
export {
  /** `filter` with a condition that waits. */
  asyncFilter,
  /** `passes` with a matcher that waits. */
  asyncPasses,
  /** `filter`: keeps the elements that pass every condition. */
  filter,
  /** True when every matcher of a condition passes. */
  passes,
} from "../run/steps/filter.ts";
export {
  /** `lookup`: runs the actions of the loop for each item of a list. */
  lookup,
} from "../run/steps/lookup.ts";
export {
  /** `nested_transforms` with a transform that waits. */
  asyncNested,
  /** `nested_transforms`: applies transforms to each value that a path matches. */
  nested,
} from "../run/steps/nested.ts";
export {
  /** `pick` with a value or a test that waits. */
  asyncPick,
  /** `input` with conditions: the first entry whose tests pass. */
  pick,
} from "../run/steps/pick.ts";
export {
  /** Several transforms of root members in one loop over the rows. */
  eachRow,
} from "../run/steps/rows.ts";
export {
  /** Interprets a plan (`disable_fastpath`). */
  walk,
} from "../walk/walk.ts";
