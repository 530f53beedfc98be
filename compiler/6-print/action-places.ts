import type { ActionListPlan, ConfigPlan, Span } from "#runtime/plan/index.ts";
import type { Locate } from "./map.ts";

/**
 * The places of the actions of a config in the YAML, as the JSON text that `runtime/run/action-place.ts` reads. Places are keyed by the
 * names of interfaces and actions; an action in a loop has the name of the loop before its own. A place in another file begins with the
 * name of the file.
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
