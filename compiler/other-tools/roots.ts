import { wordsFor } from "./words.ts";

/** Words for a root of markers. */
const roots = wordsFor({
  params: "query querystring query_params path_params path inputs args",
  body: "event payload",
  var: "variables variable",
  timestamp: "now utc_now utcnow today datetime date time",
  env: "environment",
});

/** Words for the item of a loop, which is the body there. */
const items: ReadonlySet<string> = new Set(["item", "each", "element", "it", "row", "loop", "lookup"]);

/** Words for the request. */
const requests: ReadonlySet<string> = new Set(["req", "ctx"]);

/** Words for parts of the request, which are roots here. */
const requestParts = wordsFor({ body: "body json", params: "params query", headers: "headers" });

/** Keys of `global`, for which a marker has a root. */
const globals = wordsFor({ var: "variables", secret: "secrets", template: "templates" });

/** Words for all actions. The name of an action is the root here, and its outputs are its data. */
const actions: ReadonlySet<string> = new Set(["actions", "steps", "nodes", "tasks", "jobs"]);

/** Words for a root in a value that has the form of another tool, with a name behind it: `${{ secrets.TOKEN }}`. */
const rootsInForms = wordsFor({ secret: "secrets", var: "vars", params: "inputs query", body: "json payload", headers: "header" });

/** True for a word that stands for the item of a loop: an action of a similar name is hardly meant. */
export const isItemWord = (name: string): boolean => items.has(name);

/** The hint for a marker whose root is a word of another tool; undefined for any other word. */
export function rootHint(name: string, marker: string, isInLoop: boolean): string | undefined {
  const rest = marker.slice(`a|${name}`.length);
  const [, variable] = (name === "process" && /^::env\.(\w+)\|$/.exec(rest)) || [];
  if (variable !== undefined) return `write 'a|env::${variable}|'`;
  const root = isItemWord(name) && isInLoop ? "body" : roots.get(name);
  if (root === "timestamp") return "write 'a|timestamp|'";
  if (root !== undefined) return `write 'a|${root}${rest}'${root === "body" && isInLoop ? ": the item of a loop is its body" : ""}`;
  return actionHint(name, rest) ?? partHint(name, rest);
}

/** The hint for a word that means all actions, with the name of an action behind it: `steps::Load.outputs.id`. */
function actionHint(name: string, rest: string): string | undefined {
  const [, action, data = ""] = (actions.has(name) && /^::([\w-]+)(?:\.outputs?)?(?:\.(.*))?\|$/s.exec(rest)) || [];
  return action === undefined ? undefined : `write 'a|${action}${data === "" ? "" : `::${data}`}|'`;
}

/** The hint for a part of `global` or of the request: `global::variables.name`, `req::body.name`. */
function partHint(name: string, rest: string): string | undefined {
  const parts = name === "global" ? globals : requests.has(name) ? requestParts : undefined;
  if (parts === undefined) return undefined;
  const [, part = "", behind = ""] = /^::(\w+)(?:(?:::|\.)(?=\w))?(.*)$/s.exec(rest) ?? [];
  const root = parts.get(part);
  if (root === undefined) return name === "global" ? undefined : `write 'a|request${rest}'`;
  return `write 'a|${root}${/^\w/.test(behind) ? "::" : ""}${behind}'`;
}

/** The root that a word stands for in a form of another tool, and the path behind it. In n8n `$json.body.x` is a part of the request. */
export function rootInForm(word: string, behind: string): readonly [root: string, path: string] {
  const [, action, data = ""] = (actions.has(word) && /^\.([\w-]+)(?:\.outputs?)?(.*)$/s.exec(behind)) || [];
  if (action !== undefined) return [action, data];
  const root = rootsInForms.get(word);
  if (root === undefined || behind === "") return [word, behind];
  const [, part, rest = ""] = /^\.(body|params|headers)(\..*)?$/s.exec(behind) ?? [];
  return word === "json" && part !== undefined ? [part, rest] : [root, behind];
}
