import type { RulesPlan } from "#runtime/plan/policies.ts";
import { visible, visibleLine } from "#runtime/value/visible.ts";
import type { AnalysedInterface, AnalysedPlan } from "../5-analyse/analysed.ts";
import { authenticationOf } from "../5-analyse/authentication.ts";
import { capabilitiesOf, capabilityKinds, touchesOf } from "../5-analyse/capabilities/index.ts";
import { type Entrance, entrancesOf } from "../5-analyse/entrances.ts";
import type { Sources } from "../diagnostics/position.ts";
import { type ActionNode, graphOf } from "./graph.ts";

/** The explanation of an interface: its entrances and guards, its actions as a tree, and everything that it needs and touches. */
export function explanation(plan: AnalysedInterface, config: AnalysedPlan, sources: Sources): string {
  const line = (at = plan.at): string => (at === undefined ? config.file : `${at.file}:${sources.lines(at.file).at(at.start).line}`);
  const nodes = graphOf(plan, config, sources);
  const parts = [
    `${plan.name}  ${line()}\n`,
    rows("reached by", entrancesOf(plan).map(reachedBy)),
    rows("callers", callersOf(plan)),
    rows("policy", policyOf(plan, config)),
    "\nactions\n",
    tree(nodes, "", line),
    ...touched(plan, config),
  ];
  return visible(parts.join(""));
}

const rows = (title: string, lines: readonly string[]): string =>
  lines.map((text) => `  ${title.padEnd(11)} ${visibleLine(text)}\n`).join("");

/** An entrance in words, beside its kind. */
export function entranceText(entrance: Entrance): string {
  switch (entrance.kind) {
    case "http":
      return `${entrance.method} ${entrance.route}`;
    case "schedule":
      return `${entrance.cron} ${entrance.state === undefined ? entrance.timezone : `(${entrance.state})`}`;
    case "ws":
      return "frames of WebSockets";
    case "mqtt":
      return `messages to …/${entrance.topic}`;
    case "mcp":
      return `tool ${entrance.tool}`;
    case "trigger":
      return entrance.name;
    case "cli":
      return "the command line";
    case "interfaces":
      return "other interfaces";
  }
}

function reachedBy(entrance: Entrance): string {
  const text = entranceText(entrance);
  switch (entrance.kind) {
    case "schedule":
      return `schedule ${text}`;
    case "mqtt":
      return `MQTT ${text}`;
    case "mcp":
      return `${text} of agents`;
    case "http":
    case "ws":
    case "trigger":
    case "cli":
    case "interfaces":
      return text;
  }
}

/** The tests that authenticate callers, in words. */
export function callersOf(plan: AnalysedInterface): readonly string[] {
  const proofs = authenticationOf(plan).proofs.map(({ label, matchers }) => `${matchers.map(({ use }) => use).join(", ")} of ${label}`);
  return proofs.length === 0 ? ["no test authenticates them"] : proofs;
}

/** The rules of the network policy, in words. */
export function policyOf({ network, start }: AnalysedInterface, config: AnalysedPlan): readonly string[] {
  if (start?.network !== undefined) return ["read when the process starts"];
  if (network === undefined) return ["none"];
  const { mode, source, trusted_proxies, inherits } = network;
  const scalars = { ...(mode && { mode }), source: source ?? "client", ...(trusted_proxies && { trusted_proxies }) };
  const levels: readonly (readonly [string, RulesPlan | undefined])[] = [
    ["its own", network.rules],
    ["inherited", inherits === true ? config.network : undefined],
  ];
  const rules = levels.flatMap(([level, of]) =>
    Object.entries(of ?? {}).map(([name, rule]) => `${name} ${JSON.stringify(rule)} (${level})`),
  );
  return [...rules, ...Object.entries(scalars).map(([name, value]) => `${name} ${JSON.stringify(value)}`)];
}

/** One line for each action: when it starts, its work, and what it reads and touches; the actions of a loop below it. */
function tree(nodes: readonly ActionNode[], indent: string, line: (at: ActionNode["at"]) => string): string {
  const width = Math.max(0, ...nodes.map(({ name }) => name.length));
  return nodes
    .map((node, i) => {
      const isLast = i === nodes.length - 1;
      const after = node.after.map(({ name, why }) => (why === "reads" ? name : `${name} (${why})`)).join(", ");
      const below = `${indent}${isLast ? "   " : "│  "}`;
      const facts = [
        ...(after === "" ? [] : [`after ${after}`]),
        ...(node.reads.length === 0 ? [] : [`reads ${node.reads.join(", ")}`]),
        ...node.touches.map((text) => `touches ${text}`),
      ];
      const head = `${indent}${isLast ? "└─" : "├─"} ${node.name.padEnd(width)}  ${node.does}  ${line(node.at)}`;
      return `${[head, ...facts.map((fact) => `${below}   ${fact}`)].map((text) => visibleLine(text)).join("\n")}\n${tree(node.inside, below, line)}`;
    })
    .join("");
}

/** All things outside that an interface touches, by kind. */
export function touchLines(plan: AnalysedInterface, config: AnalysedPlan): readonly (readonly [kind: string, text: string])[] {
  const capabilities = capabilitiesOf(touchesOf(plan, config));
  return capabilityKinds.flatMap((kind) =>
    (capabilities[kind] ?? []).map(({ name, of, verbs = [], from, within = [] }) => {
      const bounds = within.length === 0 ? "" : ` within ${within.join(", ")}`;
      return [
        kind.replace("_", " "),
        `${of === undefined ? "" : `${of}: `}${name}${verbs.length === 0 ? "" : ` ${verbs.join(", ")}`}${from === undefined ? "" : ` (from a ${from}${bounds})`}`,
      ] as const;
    }),
  );
}

function touched(plan: AnalysedInterface, config: AnalysedPlan): readonly string[] {
  const lines = touchLines(plan, config);
  const { env, vars, secrets } = config.needs;
  const needs = Object.entries({ env, vars, secrets }).flatMap(([kind, names]) =>
    names.length === 0 ? [] : [[kind, names.join(", ")] as const],
  );
  return [
    lines.length === 0 ? "" : "\ntouches\n",
    ...lines.map(([kind, text]) => rows(kind, [text])),
    needs.length === 0 ? "" : "\nneeds of the configuration\n",
    ...needs.map(([kind, text]) => rows(kind, [text])),
  ];
}

/** The graph for a page of Markdown. Names are quoted, so that none is read as a part of the graph. */
export function mermaid(plan: AnalysedInterface, config: AnalysedPlan, sources: Sources): string {
  const lines: string[] = ["flowchart TD"];
  const draw = (nodes: readonly ActionNode[], around: string): void => {
    const ids = new Map(nodes.map(({ name }, i) => [name, `${around}${i + 1}`]));
    for (const { name, does, touches, inside } of nodes) {
      const id = ids.get(name) ?? around;
      lines.push(`  ${id}[${quoted([name, does, ...touches].join("<br>"))}]`);
      if (inside.length > 0) {
        lines.push(`  subgraph ${id}s [${quoted(`each item of ${name}`)}]`);
        draw(inside, `${id}_`);
        lines.push("  end", `  ${id} --> ${id}s`);
      }
    }
    for (const { name, after } of nodes)
      for (const { name: before, why } of after) {
        const [from, to] = [ids.get(before), ids.get(name)];
        if (from !== undefined && to !== undefined) lines.push(`  ${from} ${why === "reads" ? "-.->" : `-- ${why} -->`} ${to}`);
      }
  };
  draw(graphOf(plan, config, sources), "a");
  return `${lines.join("\n")}\n`;
}

const quoted = (text: string): string =>
  `"${visibleLine(text)
    .replace(/["#&]/g, (sign) => `#${sign.charCodeAt(0)};`)
    .replace(/<(?!br>)/g, "#60;")}"`;
