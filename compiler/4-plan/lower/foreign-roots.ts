/** Words of other tools for a root, with our form of the marker. */
const roots: Readonly<Record<string, string>> = {
  query: "params",
  querystring: "params",
  query_params: "params",
  path_params: "params",
  args: "params",
  variables: "var",
  payload: "body",
  now: "timestamp",
  today: "timestamp",
  datetime: "timestamp",
};

/** Words of other tools for the item of a loop; in our loops the item is the body. */
const items: ReadonlySet<string> = new Set(["item", "each", "element", "it", "row", "loop"]);

/** Words of other tools for the request; its body, parameters and headers are roots here. */
const requests: ReadonlySet<string> = new Set(["req", "ctx"]);

const parts: Readonly<Record<string, string>> = { body: "body", json: "body", params: "params", query: "params", headers: "headers" };

const globals: Readonly<Record<string, string>> = { variables: "var", secrets: "secret", templates: "template" };

/** Our form of a marker whose root is a word of another tool; undefined for any other word. */
export function foreignRoot(name: string, marker: string, isInLoop: boolean): string | undefined {
  const rest = marker.slice(`a|${name}`.length);
  const word = items.has(name) && isInLoop ? "body" : Object.hasOwn(roots, name) ? roots[name] : undefined;
  if (word === "timestamp") return "write 'a|timestamp|'";
  if (word !== undefined) return `write 'a|${word}${rest}'${word === "body" && isInLoop ? ": the item of a loop is its body" : ""}`;
  const table = name === "global" ? globals : requests.has(name) ? parts : undefined;
  if (table === undefined) return undefined;
  const [, part = "", behind = ""] = /^::(\w+)(?:(?:::|\.)(?=\w))?(.*)$/s.exec(rest) ?? [];
  const root = Object.hasOwn(table, part) ? table[part] : undefined;
  if (root === undefined) return name === "global" ? undefined : `write 'a|request${rest}'`;
  return `write 'a|${root}${/^\w/.test(behind) ? "::" : ""}${behind}'`;
}
