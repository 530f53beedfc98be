import type { ConfigPlan } from "#runtime/plan/index.ts";
import { needsOf } from "../records.ts";
import type { AnalysedInterface, ConfigUses, ProtocolName } from "./analysed.ts";
import { partsOf } from "./parts.ts";
import { names } from "./uses.ts";

/** Gathers the needs of a configuration, with its analysed interfaces. */
export function usesOfConfig(plan: ConfigPlan, interfaces: readonly AnalysedInterface[]): ConfigUses {
  const uses = interfaces.map((each) => each.uses);
  const actions = names(uses.flatMap((each) => [...each.actions, ...each.databases.map(({ use }) => use)]));
  const protocols = protocolsOf(interfaces, actions);
  return {
    features: {
      transforms: names(uses.flatMap(({ transforms }) => transforms)),
      matchers: names(uses.flatMap(({ matchers }) => matchers)),
      actions,
    },
    drivers: names(plan.databases.map(({ driver }) => driver)),
    parts: partsOf(plan, protocols),
    protocols,
    tools: plan.mcp_servers !== undefined || interfaces.some(({ mcp }) => mcp !== undefined),
    calls: interfaces.some(({ tool }) => tool !== undefined) || uses.some(({ tells }) => tells),
    callbacks: uses.some(({ waits }) => waits),
    detaches: interfaces.some(({ respond }) => respond === "early"),
    schedules: interfaces.some(({ schedule, start }) => (schedule ?? start?.schedule) !== undefined),
    triggers: names(interfaces.flatMap(({ triggers = {} }) => Object.keys(triggers))),
    channels: protocols.includes("ws") || need(actions, "channels") || uses.some(({ streams }) => streams),
    durable: interfaces.some(({ keeps }) => keeps !== undefined),
    store: need(actions, "state") || uses.some(({ remembers }) => remembers) || interfaces.some(readsState),
  };
}

const need = (actions: readonly string[], part: ReturnType<typeof needsOf>): boolean => actions.some((use) => needsOf(use) === part);

/** The protocols whose messages run an interface, or that an action publishes to. */
function protocolsOf(interfaces: readonly AnalysedInterface[], actions: readonly string[]): readonly ProtocolName[] {
  const mqtt = need(actions, "mqtt") || interfaces.some((each) => each.mqtt !== undefined);
  const ws = interfaces.some((each) => each.ws !== undefined);
  return [...(mqtt ? (["mqtt"] as const) : []), ...(ws ? (["ws"] as const) : [])];
}

const readsState = ({ loads }: AnalysedInterface): boolean =>
  loads !== undefined && loads.before.states.length + loads.after.states.length > 0;
