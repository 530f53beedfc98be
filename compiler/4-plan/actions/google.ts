import { actions } from "#generated/features.ts";
import { type Entry, entriesOf, entry, get, scalarText } from "../../1-read/document.ts";
import { hasMarker } from "../../1-read/markers/markers.ts";
import { cloud as codes } from "../../diagnostics/codes/cloud.ts";
import { shape } from "../../diagnostics/codes/file.ts";
import type { Report } from "../../diagnostics/diagnostic.ts";
import { lower } from "../lower/values.ts";
import { operationsOf } from "../operations.ts";
import type { Planner } from "./planner.ts";

const operations = operationsOf(actions.google.schema);

/** The fields of the block beside its operation. */
const settings: ReadonlySet<string> = new Set(
  Object.keys(actions.google.schema.properties ?? {}).filter((key) => !operations.includes(key)),
);

const tokens: readonly string[] = ["create_token", "create_token_raw"];

/** Plans the one operation. It checks that a token can be requested, and replaces the name of the credential by its settings. */
export const planner: Planner = {
  check(block, { at, around }, cx) {
    // An operation with a mistake, or an unknown key, was already reported and is null here.
    const chosen = entriesOf(block).filter(({ key }) => !settings.has(key));
    if (chosen.length !== 1 && chosen.every(({ key }) => operations.includes(key)))
      cx.report(codes.operation("google", operations), chosen[1]?.keySpan ?? at);
    const [first] = chosen;
    if (first?.value.kind === "map" && tokens.includes(first.key)) checkToken(first, cx.report);
    if (!around.credentials.has("google")) cx.report(shape.missingKey("google_credentials", "Global"), at);
  },
  plan: (block, { around }, cx) =>
    around.credentials.fill(lower(block, actions.google.schema, cx, { field: "google", required: true }), block, "google", cx),
};

/** An ID token has an audience; any other token has scopes, else an audience. */
function checkToken({ key, value, keySpan }: Entry, report: Report): void {
  const has = (field: string): boolean => entry(value, field) !== undefined;
  const title = key === "create_token" ? "GoogleCreateToken" : "GoogleCreateTokenRaw";
  const isId = scalarText(get(value, "use_id_token"));
  if (isId !== undefined && hasMarker(isId)) return;
  if (isId === "true") {
    if (!has("audience")) report(shape.missingKey("audience", title), keySpan);
    const scopes = entry(value, "scopes");
    if (scopes !== undefined) report(shape.noEffect("scopes"), scopes.keySpan);
  } else if (!has("scopes") && !has("audience")) report(shape.missingKey("scopes' or 'audience", title), keySpan);
  else if (has("scopes") && has("audience")) report(shape.noEffect("audience"), entry(value, "audience")?.keySpan ?? keySpan);
}
