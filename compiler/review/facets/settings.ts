import type { Json } from "#runtime/value/json.ts";
import type { AnalysedInterface } from "../../5-analyse/analysed.ts";
import { equal, type Facet, type Fact, fact, type Severity, shown } from "../fact.ts";

/** The facts about the schedule of an interface, the stored parts of its runs, and its answers. */
export const settings: Facet = {
  name: "settings",
  read: (target) => [
    ...fact("schedule", target.schedule ?? target.idle, target.at),
    ...fact("capture", target.capture, target.at),
    ...fact("show_error_detail", target.show_error_detail || undefined, target.at),
    ...fact("silence", target.silence || undefined, target.at),
    ...fact("disable_fastpath", target.disable_fastpath || undefined, target.at),
    ...fact("respond", target.respond, target.at),
    ...fact("respond_after", target.respond_after, target.at),
    ...fact("log", target.log, target.at),
    ...fact("order of actions", order(target), target.at),
    ...params(target),
    ...fact("assert", target.assert === undefined ? undefined : { ...target.assert, tests: [] }, target.at),
    ...Object.entries(target.response).flatMap(([name, value]) => fact(`response.${name}`, value, target.at)),
    ...Object.entries(target.start ?? {}).flatMap(([name, value]) =>
      name === "network" ? [] : fact(`${name}, read at the start`, value, target.at),
    ),
  ],
  judge: ({ key, before, after }) => {
    // A new or removed action is reported separately.
    if (key === "order of actions" && !equal(inOrder(before), inOrder(after))) return undefined;
    const severity = severityOf(key, after !== undefined);
    if (after === undefined) return { severity, text: `${key} is gone${terse.has(key) ? `, was ${shown(before)}` : ""}` };
    if (terse.has(key)) return { severity, text: `${key} is ${shown(after)}${before === undefined ? "" : `, was ${shown(before)}`}` };
    return { severity, text: before === undefined ? `${key} is new` : `${key} changed` };
  },
};

/** Settings whose value is short enough to be shown. */
const terse: ReadonlySet<string> = new Set([
  ...["schedule", "capture", "show_error_detail", "silence", "respond", "respond_after", "order of actions"],
  ...["response.http_code_on_error", "response.http_code_inherit_error", "response.http_code_fallback"],
]);

const inOrder = (names: Json | undefined): Json => (Array.isArray(names) ? names.map(String).sort() : []);

const order = ({ actions }: AnalysedInterface): readonly string[] => actions.map(({ name }) => name);

const params = ({ params: list }: AnalysedInterface): readonly Fact[] =>
  list.flatMap(({ name, value, at }) => fact(`value of parameter \`${name}\``, value, at));

function severityOf(key: string, isThere: boolean): Severity {
  switch (key) {
    case "show_error_detail":
      return isThere ? "loosened" : "tightened";
    case "silence":
      return isThere ? "tightened" : "loosened";
    case "capture":
      return isThere ? "reaches" : "tightened";
    case "disable_fastpath":
    case "order of actions":
      return "note";
    default:
      return "changed";
  }
}

/** Texts about an interface, and examples: no run reads them. */
export const docs: Facet = {
  name: "docs",
  read: ({ about, contract: { input_example, output_example }, at }) => [
    ...Object.entries(about ?? {}).flatMap(([name, value]) => fact(name, value, at)),
    ...fact("accepts.example", input_example, at),
    ...fact("produces.example", output_example, at),
  ],
  judge: ({ key, before, after }) => ({
    severity: "note",
    text: `docs: ${key} ${after === undefined ? "is gone" : before === undefined ? "is new" : "changed"}`,
  }),
};

/** The parts of a configuration that all its interfaces share. */
export const config: Facet = {
  name: "config",
  hashed: true,
  readConfig: ({ databases, secrets, variables, expose_metrics, mcp_servers, docs: document, on_error, start }) => [
    ...databases.flatMap(({ name, driver, settings: value, at }) => [
      ...fact(`driver of database \`${name}\``, driver, at),
      ...fact(`settings of database \`${name}\``, value, at),
    ]),
    ...secrets.flatMap(({ name, kind, format, settings: value, at }) => fact(`secret \`${name}\``, { kind, format, value }, at)),
    ...variables.flatMap(([name, value]) => fact(`variable \`${name}\``, value, undefined)),
    ...fact("expose_metrics", expose_metrics, undefined),
    ...fact("mcp_servers", mcp_servers, undefined),
    ...fact("docs", document === undefined ? undefined : true, undefined),
    ...fact("description", document?.description, undefined),
    ...fact("on_error", on_error, on_error?.at),
    ...fact("global settings, read at the start", start, undefined),
  ],
  judge: ({ key, before, after }) => {
    const isNew = before === undefined;
    const opens = (key === "docs" || key === "expose_metrics") && isNew;
    const kind = key === "description" ? "note" : opens ? "loosened" : key.startsWith("secret") && isNew ? "reaches" : "changed";
    return { severity: kind, text: `${key} ${after === undefined ? "is gone" : isNew ? "is new" : "changed"}` };
  },
};
