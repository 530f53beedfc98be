import type { ActionListPlan, ActionPlan } from "#runtime/plan/index.ts";
import { any, array, type Member, number, type ObjectShape, object, type Shape, string } from "#runtime/shapes/shape.ts";
import type { ActionShape, ListShape } from "./scope.ts";

/** The entries of a list of actions, as the envelope and the results of a loop have them (spec/language 7.2). */
export function entriesShape(list: ActionListPlan, shapes: ListShape): ObjectShape {
  const shown = list.actions.filter(({ hide }) => !hide.hide_action);
  // All entries are optional: an early answer cancels actions that have not started, and a time limit may end an item early.
  return object(
    new Map(shown.map((action) => [action.name, { shape: entryShape(action, shapes.actions.get(action.name)), optional: true as const }])),
  );
}

function entryShape({ hide }: ActionPlan, shape: ActionShape | undefined): Shape {
  const seen = shape?.seen ?? any;
  const mayHide = hide.hide_data_on_success || hide.hide_data_on_error || hide.hide_data_on_empty;
  const text: Member = { shape: string, optional: true };
  return object(
    new Map<string, Member>([
      ["data", { shape: seen, ...(mayHide ? { optional: true } : {}) }],
      ["message", text],
      ["error", text],
      ["errors", { shape: array(string), optional: true }],
      ["time.ms", { shape: number }],
    ]),
  );
}
