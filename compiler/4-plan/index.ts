import { actions, matchers, transforms } from "#generated/features.ts";
import type { JsonSchema } from "#runtime/feature.ts";
import type { ConfigPlan, DatabasePlan, Expr, Needs } from "#runtime/plan.ts";
import { type Entry, entriesOf, flag, get } from "../1-read/document.ts";
import { language } from "../2-check/schema.ts";
import type { ResolvedConfig } from "../3-resolve/resolved.ts";
import { build } from "../diagnostics/codes/build.ts";
import { flow } from "../diagnostics/codes/names.ts";
import type { Report } from "../diagnostics/diagnostic.ts";
import { planActions } from "./actions.ts";
import { planInterface } from "./interface.ts";
import { configRoots, emptyNeeds, type Lowering, type OpenNeeds, type Scope, scope } from "./scope.ts";
import { isDialect } from "./sql-lexer.ts";
import { lower } from "./values.ts";

const { definitions } = language({ actions, matchers, transforms });

/** Phase 4: markers become expressions, records become ops. What cannot be planned was reported; the plan holds the rest. */
export function plan(config: ResolvedConfig, report: Report): ConfigPlan {
  const needs = emptyNeeds();
  const unsupported = gathered(report);
  const variables = new Set(config.variables.map(({ key }) => key));
  const shared: Lowering = { report, unsupported: unsupported.add, definitions, scope: scope({ variables, needs }) };
  const databases = config.databases.flatMap((database) => {
    if (database.driver === undefined || !isDialect(database.driver)) return [];
    return planDatabase({ key: database.name, keySpan: database.span, value: database.node }, database.driver, shared);
  });
  const drivers = new Map(config.databases.map(({ name, driver }) => [name, driver]));
  const exposesMetrics = flag(config.document.root, "expose_metrics");
  const interfaces = config.interfaces.flatMap((target) => {
    const inner = scope({
      variables,
      needs,
      actions: new Set(target.actions.map(({ name }) => name)),
      templates: new Map([...config.templates, ...target.templates].map(({ key, value }) => [key, value])),
    });
    const defaults = [get(target.node, "defaults"), config.http].filter((node) => node !== undefined);
    const around = { drivers, httpDefaults: defaults, exposesMetrics, depth: 0, list: planActions };
    return planInterface(target, around, { ...shared, scope: inner }) ?? [];
  });
  const planned: ConfigPlan = {
    name: config.name,
    file: config.document.file,
    variables: planVariables(config.variables, shared, needs),
    databases,
    interfaces,
    needs: sorted(needs),
  };
  unsupported.report();
  return planned;
}

/** `global.variables`: only roots that exist before any request, and no variable that needs itself (PW206, PW307). */
function planVariables(entries: readonly Entry[], cx: Lowering, needs: OpenNeeds): [string, Expr][] {
  const edges = new Map<string, Scope["variableReads"]>();
  const plans = entries.map(({ key, value }): [string, Expr] => {
    const inner = scope({ variables: cx.scope.variables, needs, allowed: configRoots });
    const of = lower(value, {}, { ...cx, scope: inner });
    edges.set(key, inner.variableReads);
    return [key, of];
  });
  reportVariableCycles(edges, cx.report);
  return plans;
}

function reportVariableCycles(edges: ReadonlyMap<string, Scope["variableReads"]>, report: Report): void {
  const done = new Set<string>();
  for (const start of edges.keys()) {
    const path = done.has(start) ? undefined : pathBack(start, start, edges, []);
    if (path === undefined) continue;
    for (const name of path) done.add(name);
    const places = path.flatMap((name) => [...(edges.get(name) ?? [])].filter(([to]) => path.includes(to)).map(([, at]) => at));
    const first = places.sort((a, b) => a.start - b.start)[0];
    if (first !== undefined) report(flow.variableCycle([...path, start]), first);
  }
}

function pathBack(
  name: string,
  start: string,
  edges: ReadonlyMap<string, Scope["variableReads"]>,
  path: readonly string[],
): string[] | undefined {
  for (const to of edges.get(name)?.keys() ?? []) {
    if (to === start) return [...path, name];
    if (path.includes(to) || to === name) continue;
    const found = pathBack(to, start, edges, [...path, name]);
    if (found !== undefined) return found;
  }
  return undefined;
}

const settingsSchema: JsonSchema = definitions.Database ?? {};

function planDatabase({ key, keySpan, value }: Entry, driver: string, cx: Lowering): DatabasePlan {
  const record = { kind: "map" as const, span: value.span, entries: entriesOf(value).filter((item) => item.key !== "driver") };
  const inner: Lowering = { ...cx, scope: { ...cx.scope, allowed: configRoots } };
  return { name: key, driver, settings: lower(record, settingsSchema, inner), at: keySpan };
}

/** Each unsupported part is reported once per file, with the number of its other uses. */
function gathered(report: Report): { readonly add: Lowering["unsupported"]; readonly report: () => void } {
  const uses = new Map<string, Parameters<Lowering["unsupported"]>[1][]>();
  return {
    add: (what, at) => {
      const places = uses.get(what) ?? [];
      if (!places.some(({ start }) => start === at.start)) places.push(at);
      uses.set(what, places);
    },
    report: () => {
      for (const [what, places] of uses) {
        const [first, ...more] = places.sort((a, b) => a.start - b.start);
        if (first !== undefined) report(build.unsupported(what, more.length), first);
      }
    },
  };
}

const sorted = (needs: OpenNeeds): Needs => ({
  env: [...needs.env].sort(),
  vars: [...needs.vars].sort(),
  secrets: [...needs.secrets].sort(),
});
