import type { Capabilities } from "#runtime/plan/capabilities.ts";
import { asList, isObject, type Json } from "#runtime/value/json.ts";
import { capabilitiesOf, capabilityKinds, type PlacedTouch, touchesOf, touchesOfConfig } from "../../5-analyse/capabilities/index.ts";
import { type Facet, type Fact, shown } from "../fact.ts";

/** Everything outside that an interface, or a configuration by its databases and stores, may touch. */
export const reach: Facet = {
  name: "reach",
  whole: true,
  read: (target, config) => factsOf(touchesOf(target, config)),
  readConfig: (config) => factsOf(touchesOfConfig(config)),
  judge: ({ key, before, after }) => {
    if (before === undefined) return { severity: "reaches", text: `reaches ${key}${chosen(after)}` };
    if (after === undefined) return { severity: "tightened", text: `reaches ${key} no more` };
    const verbs = listOf(after, "verbs").filter((verb) => !listOf(before, "verbs").includes(verb));
    if (verbs.length > 0) return { severity: "reaches", text: `reaches ${key} also by ${verbs.map(shown).join(", ")}` };
    const bounds = listOf(after, "within").filter((host) => !listOf(before, "within").includes(host));
    if (bounds.length > 0) return { severity: "reaches", text: `${key} may be ${bounds.map(shown).join(", ")}, too` };
    return { severity: "tightened", text: `reaches less of ${key}` };
  },
};

const nouns: Readonly<Record<(typeof capabilityKinds)[number], string>> = {
  ...{ hosts: "host", tables: "table", commands: "command", channels: "channel", topics: "topic", mail_servers: "mail server" },
  ...{ mail_senders: "mail sender", mail_recipients: "mail recipient", tools: "tool", secrets: "secret", state: "state", files: "file" },
};

function factsOf(touches: readonly PlacedTouch[]): readonly Fact[] {
  const capabilities: Capabilities = capabilitiesOf(touches);
  return capabilityKinds.flatMap((kind) =>
    (capabilities[kind] ?? []).map(({ name, of, ...rest }): Fact => {
      const at = touches.find((touch) => touch.kind === kind && touch.name === name && touch.of === of)?.at;
      const chosen = rest.from === undefined ? "" : ` from a ${rest.from}`;
      return {
        key: `${nouns[kind]} ${shown(of === undefined ? name : `${of}: ${name}`)}${chosen}`,
        value: { ...rest } as Json,
        ...(at && { at }),
      };
    }),
  );
}

function chosen(value: Json | undefined): string {
  const [verbs, within] = ["verbs", "within"].map((name) => listOf(value ?? null, name));
  if (verbs !== undefined && verbs.length > 0) return ` by ${verbs.map(shown).join(", ")}`;
  return within !== undefined && within.length > 0 ? ` within ${within.map(shown).join(", ")}` : "";
}

function listOf(value: Json, name: string): readonly Json[] {
  const list = isObject(value) ? value[name] : undefined;
  return asList(list);
}
