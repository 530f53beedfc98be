import { type Facet, type Fact, fact, shown } from "../fact.ts";

/** The facts about the entrances of an interface: its route, sockets, MQTT, tools, and entrances without credentials. */
export const exposure: Facet = {
  name: "exposure",
  whole: true,
  read: (target) => {
    const { route, method, ws, mqtt, mcp, output, subscribe_authorizer, triggers = {}, at } = target;
    return [
      ...fact("route", route === undefined ? undefined : `${method} ${route}`, at),
      ...fact("ws", ws, at),
      ...fact("mqtt", mqtt, at),
      ...fact("mcp tool", mcp === undefined ? undefined : `${mcp.server === undefined ? "" : `${mcp.server}/`}${mcp.name}`, at),
      ...fact("list_authorizer", mcp?.list_authorizer, at),
      ...fact("public", target.public, at),
      ...fact("subscribe_authorizer", subscribe_authorizer, at),
      ...fact("output", output, at),
      ...Object.entries(triggers).flatMap(([name, settings]): readonly Fact[] => fact(name, settings, at)),
    ];
  },
  judge: ({ key, before, after }) => {
    if (key === "output") return { severity: "changed", text: `output is ${shown(after)}, was ${shown(before)}` };
    const guards = key === "subscribe_authorizer" || key === "list_authorizer";
    if (before === undefined)
      return guards
        ? { severity: "tightened", text: `${key} ${shown(after)} decides now` }
        : {
            severity: "loosened",
            text: key === "public" ? "is public: no credential is asked for" : `is opened as ${key} ${shown(after)}`,
          };
    if (after === undefined) {
      if (guards) return { severity: "loosened", text: `${key} ${shown(before)} is gone: nobody decides` };
      return key === "public"
        ? { severity: "tightened", text: "is public no more" }
        : { severity: "breaking", text: `is reached no more as ${key} ${shown(before)}` };
    }
    if (guards) return { severity: "loosened", text: `${key} is ${shown(after)}, was ${shown(before)}` };
    return { severity: "breaking", text: `${key} is ${shown(after)}, was ${shown(before)}` };
  },
};
