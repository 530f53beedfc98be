import { secretStores } from "#generated/features.ts";
import type { JsonSchema, StoreFacts } from "#runtime/features/feature.ts";
import type { Expr, SecretPlan, Span } from "#runtime/plan/index.ts";
import { type Entry, entriesOf, get, type MapNode, textOf } from "../1-read/document.ts";
import { shape } from "../diagnostics/codes/file.ts";
import { transforms as codes } from "../diagnostics/codes/transforms.ts";
import type { Report } from "../diagnostics/diagnostic.ts";
import { isLiteral } from "./inference/literal-secret.ts";
import { lower } from "./lower/values.ts";
import { readsSecret } from "./markers/mentions.ts";
import { configRoots, type Lowering, scope } from "./markers/scope.ts";

/** The plan of one entry of `global.variables` or `global.secrets`, and the variables and secrets that it reads. */
export interface Definition<P> {
  readonly plan: P;
  readonly variables: ReadonlyMap<string, Span>;
  readonly secrets: ReadonlyMap<string, Span>;
}

/** Settings of every kind. */
const common: readonly string[] = ["kind", "format", "ttl"];

const stores: Readonly<Record<string, StoreFacts>> = secretStores;

/** Lowers an entry of `global.secrets`: only roots that exist before any request (spec/language 1.4). */
export function planSecret({ key, keySpan, value }: Entry, cx: Lowering, settings: JsonSchema): Definition<SecretPlan> | undefined {
  const kind = textOf(get(value, "kind")) ?? "";
  const store = Object.hasOwn(stores, kind) ? stores[kind] : undefined;
  if (value.kind !== "map" || store === undefined) return undefined;
  checkSettings(value, kind, store, cx.report);
  const inner = scope({ ...cx.scope, allowed: configRoots, variableReads: new Map(), secrets: new Map() });
  const entries = value.entries.filter((each) => each.key !== "kind" && each.key !== "format");
  const of = lower({ ...value, entries }, settings, { ...cx, scope: inner });
  // One of the words, by the schema.
  const format = (textOf(get(value, "format")) ?? "raw") as SecretPlan["format"];
  return { plan: { name: key, kind, format, settings: of, at: keySpan }, variables: inner.variableReads, secrets: inner.secrets };
}

/**
 * Reports a missing setting, two settings of which one is allowed, a key of another kind, and a secret that is written into the file
 * (PW113, PW115, PW111, PW517).
 */
function checkSettings(node: MapNode, kind: string, store: StoreFacts, report: Report): void {
  const { needs: one, schema, itself } = store;
  const keys = [...common, ...Object.keys(schema.properties ?? {})];
  const [first, second] = entriesOf(node).filter(({ key }) => one.includes(key));
  if (first === undefined) report(shape.missingKey(one.join("' or '"), `Secret of kind ${kind}`), node.span);
  if (first !== undefined && second !== undefined) report(shape.exclude(first.key, second.key), second.keySpan);
  for (const { key, keySpan } of node.entries) {
    if (!keys.includes(key) && !key.startsWith("x-")) report(shape.noEffect(key), keySpan);
  }
  const secret = itself === undefined ? undefined : get(node, itself);
  if (itself !== undefined && secret !== undefined && isLiteral(secret)) report(codes.literalSecret(itself), secret.span);
}

/** The variables that read a value which logs mask: a secret, `ap_var`, a variable with an encrypted name, or another hidden variable. */
export function hiddenIn(variables: ReadonlyMap<string, Definition<Expr>>): ReadonlySet<string> {
  const hidden = new Set([...variables].flatMap(([name, { plan }]) => (readsSecret(plan) ? [name] : [])));
  for (let size = -1; size < hidden.size; ) {
    size = hidden.size;
    for (const [name, { variables: read }] of variables) if ([...read.keys()].some((each) => hidden.has(each))) hidden.add(name);
  }
  return hidden;
}

/** For each variable, the secrets that it needs: the secrets that it reads itself, and the secrets of the variables that it reads. */
export function secretsBehind(definitions: ReadonlyMap<string, Definition<unknown>>): Map<string, ReadonlySet<string>> {
  const direct = new Map<string, string[]>();
  const readers = new Map<string, string[]>();
  for (const [name, { secrets, variables }] of definitions) {
    for (const secret of secrets.keys()) added(direct, secret, name);
    for (const variable of variables.keys()) added(readers, variable, name);
  }
  const behind = new Map<string, Set<string>>();
  for (const [secret, queue] of direct) {
    for (const name of queue) {
      const all = behind.get(name) ?? new Set();
      if (all.has(secret)) continue;
      behind.set(name, all.add(secret));
      queue.push(...(readers.get(name) ?? []));
    }
  }
  return behind;
}

function added(lists: Map<string, string[]>, key: string, name: string): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [name]);
  else list.push(name);
}
