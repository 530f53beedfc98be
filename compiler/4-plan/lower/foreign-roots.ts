/** Words of other tools for a root, with our form of the marker. */
const roots: Readonly<Record<string, string>> = {
  query: "params",
  querystring: "params",
  query_params: "params",
  path_params: "params",
  path: "params",
  inputs: "params",
  event: "body",
  args: "params",
  variables: "var",
  variable: "var",
  payload: "body",
  now: "timestamp",
  today: "timestamp",
  datetime: "timestamp",
  date: "timestamp",
  environment: "env",
};

/** Words of other tools for the item of a loop, which is the body there. */
const items: ReadonlySet<string> = new Set(["item", "each", "element", "it", "row", "loop", "lookup"]);

/** Words of other tools for the request; its body, parameters and headers are roots here. */
const requests: ReadonlySet<string> = new Set(["req", "ctx"]);

const parts: Readonly<Record<string, string>> = { body: "body", json: "body", params: "params", query: "params", headers: "headers" };

const globals: Readonly<Record<string, string>> = { variables: "var", secrets: "secret", templates: "template" };

/** Words of other tools for all actions. The name of an action is the root here, and its outputs are its data. */
const actions: ReadonlySet<string> = new Set(["actions", "steps", "nodes", "tasks", "jobs"]);

/** True for the word of another tool that stands for the item of a loop: an action of a similar name is hardly meant. */
export const isItemWord = (name: string): boolean => items.has(name);

/** How a marker is written here whose root is a word of another tool; undefined for any other word. */
export function foreignRoot(name: string, marker: string, isInLoop: boolean): string | undefined {
  const rest = marker.slice(`a|${name}`.length);
  const [, variable] = (name === "process" && /^::env\.(\w+)\|$/.exec(rest)) || [];
  if (variable !== undefined) return `write 'a|env::${variable}|'`;
  const word = isItemWord(name) && isInLoop ? "body" : Object.hasOwn(roots, name) ? roots[name] : undefined;
  if (word === "timestamp") return "write 'a|timestamp|'";
  if (word !== undefined) return `write 'a|${word}${rest}'${word === "body" && isInLoop ? ": the item of a loop is its body" : ""}`;
  const [, action, data = ""] = (actions.has(name) && /^::([\w-]+)(?:\.outputs?)?(?:\.(.*))?\|$/s.exec(rest)) || [];
  if (action !== undefined) return `write 'a|${action}${data === "" ? "" : `::${data}`}|'`;
  const table = name === "global" ? globals : requests.has(name) ? parts : undefined;
  if (table === undefined) return undefined;
  const [, part = "", behind = ""] = /^::(\w+)(?:(?:::|\.)(?=\w))?(.*)$/s.exec(rest) ?? [];
  const root = Object.hasOwn(table, part) ? table[part] : undefined;
  if (root === undefined) return name === "global" ? undefined : `write 'a|request${rest}'`;
  return `write 'a|${root}${/^\w/.test(behind) ? "::" : ""}${behind}'`;
}
