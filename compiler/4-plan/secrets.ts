import { actions } from "#generated/features.ts";
import type { JsonSchema } from "#runtime/features/feature.ts";
import type { Expr, SecretKind, SecretPlan, Span } from "#runtime/plan/index.ts";
import { type Entry, entriesOf, entry, get, type MapNode, textOf } from "../1-read/document.ts";
import { shape } from "../diagnostics/codes/file.ts";
import { transforms as codes } from "../diagnostics/codes/transforms.ts";
import type { Report } from "../diagnostics/diagnostic.ts";
import { isLiteral } from "./inference/literal-secret.ts";
import { lower } from "./lower/values.ts";
import { configRoots, type Lowering, scope } from "./markers/scope.ts";

/** What one entry of `global.variables` or `global.secrets` gives, and what it reads of the others. */
export interface Definition<P> {
  readonly plan: P;
  readonly variables: ReadonlyMap<string, Span>;
  readonly secrets: ReadonlyMap<string, Span>;
}

/** The settings that each kind has besides `format` and `ttl`; of those in `one` exactly one is written. */
const kinds: Readonly<Record<SecretKind, { readonly one: readonly string[]; readonly more: readonly string[] }>> = {
  local: { one: ["data", "file"], more: [] },
  vault: { one: ["http"], more: [] },
  "aws-kms": { one: ["data", "file"], more: ["region", "credential_file", "config_file"] },
  command: { one: ["data"], more: ["shell"] },
};

const common: readonly string[] = ["kind", "format", "ttl"];

/** Lowers an entry of `global.secrets`: only roots that exist before any request (language.md 1.4). */
export function planSecret({ key, keySpan, value }: Entry, cx: Lowering, settings: JsonSchema): Definition<SecretPlan> | undefined {
  const word = textOf(get(value, "kind"));
  const kind = (Object.keys(kinds) as SecretKind[]).find((known) => known === word);
  if (value.kind !== "map" || kind === undefined) return undefined;
  checkSettings(value, kind, cx.report);
  const inner = scope({ ...cx.scope, allowed: configRoots, variableReads: new Map(), secrets: new Map() });
  const of = settingsOf(value, settings, { ...cx, scope: inner });
  // One of the words, by the schema.
  const format = (textOf(get(value, "format")) ?? "raw") as SecretPlan["format"];
  return { plan: { name: key, kind, format, settings: of, at: keySpan }, variables: inner.variableReads, secrets: inner.secrets };
}

function settingsOf(node: MapNode, schema: JsonSchema, cx: Lowering): Expr {
  const entries = node.entries.filter(({ key }) => key !== "kind" && key !== "format" && key !== "http");
  const of = lower({ ...node, entries }, schema, cx);
  const http = entry(node, "http");
  if (http === undefined) return of;
  const request = lower(http.value, actions.http.schema, cx, { field: "http", required: true });
  const pairs = of.op === "map" ? of.entries : of.op === "lit" ? literalPairs(of) : [];
  return { op: "map", entries: [...pairs, ["http", request]] };
}

const literalPairs = ({ value }: Extract<Expr, { op: "lit" }>): [string, Expr][] =>
  Object.entries(value ?? {}).map(([key, item]) => [key, { op: "lit", value: item }]);

/** A kind without what it needs, with two of it, or with what it does not know; a secret that is written down (PW113, PW115, PW111, PW517). */
function checkSettings(node: MapNode, kind: SecretKind, report: Report): void {
  const { one, more } = kinds[kind];
  const [first, second] = entriesOf(node).filter(({ key }) => one.includes(key));
  if (first === undefined) report(shape.missingKey(one.join("' or '"), `Secret of kind ${kind}`), node.span);
  if (first !== undefined && second !== undefined) report(shape.exclude(first.key, second.key), second.keySpan);
  for (const { key, keySpan } of node.entries) {
    if (![...common, ...one, ...more].includes(key) && !key.startsWith("x-")) report(shape.noEffect(key), keySpan);
  }
  const data = get(node, "data");
  if (kind === "local" && data !== undefined && isLiteral(data)) report(codes.literalSecret("data"), data.span);
}

/** For each variable that needs secrets, these: its own and those of the variables that it reads. */
export function secretsBehind(definitions: ReadonlyMap<string, Definition<unknown>>): Map<string, ReadonlySet<string>> {
  const found = new Map<string, ReadonlySet<string>>();
  for (const name of definitions.keys()) {
    const all = new Set<string>();
    gather(name, definitions, all, new Set());
    if (all.size > 0) found.set(name, all);
  }
  return found;
}

function gather(name: string, definitions: ReadonlyMap<string, Definition<unknown>>, all: Set<string>, seen: Set<string>): void {
  if (seen.has(name)) return;
  seen.add(name);
  const { secrets = new Map<string, Span>(), variables = new Map<string, Span>() } = definitions.get(name) ?? {};
  for (const secret of secrets.keys()) all.add(secret);
  for (const variable of variables.keys()) gather(variable, definitions, all, seen);
}
