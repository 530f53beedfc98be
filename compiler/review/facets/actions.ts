import type { ActionListPlan, ActionPlan, Op } from "#runtime/plan/index.ts";
import { isObject, type Json } from "#runtime/value/json.ts";
import { bare, type Change, differing, type Facet, type Fact, type Judgement } from "../fact.ts";

/** The actions of a list and of its loops, each with the names of the loops around it. */
export function actionsOf(list: ActionListPlan, around = ""): readonly (readonly [string, ActionPlan])[] {
  return list.actions.flatMap((action) => {
    const name = `${around}${action.name}`;
    const inside = action.ops.flatMap((op) => (op.op === "lookup" ? actionsOf(op.body, `${name}/`) : []));
    return [[name, action] as const, ...inside];
  });
}

/** The facts about the actions of an interface: their gates, and their work beside calls and queries. */
export const actions: Facet = {
  name: "actions",
  hashed: true,
  read: (target) =>
    actionsOf(target).map(([key, action]): Fact => {
      const { gates, hide, http_code_on_error, retry, timeout, logs, response_on_success, response_on_error, stream, ops } = action;
      const { run_on_assertion: _, ...conditions } = gates;
      const value = {
        gates: bare(conditions),
        hide: bare(hide),
        retry: bare(retry),
        timeout: bare(timeout),
        logs: bare(logs),
        stream: bare(stream),
        responses: bare({ response_on_success, response_on_error, http_code_on_error }),
        data: bare(ops.map(plainOp)),
      };
      return { key, value, ...(action.at && { at: action.at }) };
    }),
  judge: ({ key, before, after }) => {
    if (before === undefined) return { severity: "changed", text: `action \`${key}\` is new` };
    if (after === undefined) return { severity: "changed", text: `action \`${key}\` is gone` };
    const parts = differing(before, after);
    return (
      gateJudgement({ key, before: member(before, "gates"), after: member(after, "gates") }, parts) ??
      hideJudgement({ key, before: member(before, "hide"), after: member(after, "hide") }, parts) ?? {
        severity: "changed",
        text: `action \`${key}\`: ${parts.map((part) => words[part] ?? part).join(", ")} changed`,
      }
    );
  },
};

const words: Readonly<Record<string, string>> = {
  ...{
    gates: "the conditions of its run",
    hide: "the parts that answers leave out",
    responses: "its responses",
    data: "its data and transforms",
  },
};

/** An op without tests, calls and queries, which are separate facts. */
function plainOp(op: Op): unknown {
  switch (op.op) {
    case "call":
      return { op: op.op, use: op.use };
    case "query":
      return { op: op.op, use: op.use, database: op.database };
    case "check":
      return { op: op.op, ...op.assert, tests: [] };
    case "lookup":
      return { ...op, body: op.body.actions.map(({ name }) => name) };
    case "take":
    case "pick":
    case "transform":
    case "filter":
    case "nest":
      return op;
  }
}

/** The meaning of a changed gate. An action that waits for fewer actions may run where it did not run before. */
function gateJudgement({ key, before, after }: Change, parts: readonly string[]): Judgement | undefined {
  if (!parts.includes("gates")) return undefined;
  const lost = ["run_when_succeeded", "depends_on", "run_when_failed"].flatMap((gate) => {
    const [old, next] = [before, after].map((one) => names(member(member(one ?? null, gate), "actions")));
    return (old ?? []).filter((name) => !(next ?? []).includes(name)).map((name) => `${gate} \`${name}\``);
  });
  return lost.length === 0 ? undefined : { severity: "loosened", text: `action \`${key}\` runs without ${lost.join(", ")}` };
}

function hideJudgement({ key, before, after }: Change, parts: readonly string[]): Judgement | undefined {
  if (!parts.includes("hide")) return undefined;
  const shown = Object.keys(isObject(before ?? null) ? (before as object) : {}).filter((name) => member(after ?? null, name) === null);
  return shown.length === 0
    ? undefined
    : { severity: "loosened", text: `action \`${key}\` has no more ${shown.map((name) => `\`${name}\``).join(", ")}` };
}

const member = (value: Json, name: string): Json => (isObject(value) ? (value[name] ?? null) : null);

const names = (value: Json): readonly string[] => (Array.isArray(value) ? value.map(String) : []);
