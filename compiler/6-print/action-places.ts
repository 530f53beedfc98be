import type { ActionListPlan, ConfigPlan, Span } from "#runtime/plan/index.ts";
import type { Locate } from "./map.ts";

/**
 * Where the actions of a config stand in the YAML, as the JSON text that `runtime/run/action-place.ts` reads: places by the names of
 * interfaces and actions; those of the actions in a loop have its name before them. A place in another file has that before it.
 */
export function actionPlaces({ file, interfaces }: ConfigPlan, locate: Locate): string {
  const place = (at: Span | undefined): string | undefined => {
    if (at === undefined) return undefined;
    const { line, column } = locate(at);
    return `${at.file === file ? "" : `${at.file}:`}${line}:${column + 1}`;
  };
  const placesIn = ({ actions }: ActionListPlan, around: string): (readonly [string, string | undefined])[] =>
    actions.flatMap(({ name, at, ops }) => [
      [`${around}${name}`, place(at)] as const,
      ...ops.flatMap((op) => (op.op === "lookup" ? placesIn(op.body, `${around}${name}/`) : [])),
    ]);
  const ofInterfaces = interfaces.map(
    (each) => [each.name, { at: place(each.at), actions: Object.fromEntries(placesIn(each, "")) }] as const,
  );
  return JSON.stringify({ file, interfaces: Object.fromEntries(ofInterfaces) });
}
