import type { Config } from "../run/interface.ts";
import type { Reply } from "../run/response.ts";
import { isObject, type JsonObject } from "../value/json.ts";
import { type Introduced, introduction, tagWords } from "./introduction.ts";
import { htmlReply, jsonReply, type PageParts } from "./pages.ts";

/** The API document as JSON, and the page that shows it. */
export interface DocumentationParts extends PageParts {
  /** A function makes the document when it is first asked for. */
  readonly document: string | (() => string);
}

/** The pages of an API document, by path. */
export interface Documentation {
  readonly replies: readonly { readonly path: string; readonly reply: () => Reply }[];
  /** The document without the configurations that this environment keeps out of it; undefined when none is left. */
  readonly of: (configs: readonly Config[]) => Documentation | undefined;
}

/** `GET /docs.json` and the page `GET /documentation` (spec/surfaces 7): what the document says is only ever shown as text. */
export const documentation = ({ document, ...page }: DocumentationParts): Documentation => {
  const text = (): string => (typeof document === "string" ? document : document());
  let json: Reply | undefined;
  const html = htmlReply(page);
  return {
    replies: [
      {
        path: "/docs.json",
        reply: () => {
          json ??= jsonReply(compact(text()));
          return json;
        },
      },
      { path: "/documentation", reply: () => html },
    ],
    of: (configs) => {
      const [off, on] = [configs.filter(({ docs }) => docs === false), configs.filter(({ docs }) => docs !== false)];
      const left = withoutOperations(JSON.parse(text()) as JsonObject, new Set(off.flatMap(operationsOf))); // we have written it
      return left === undefined ? undefined : documentation({ document: JSON.stringify(reworded(left, on)), ...page });
    },
  };
};

/** Components and tags that no operation refers to any more are removed. */
function reworded(document: JsonObject, configs: readonly Config[]): JsonObject {
  const all = configs.flatMap(({ name, documented }): Introduced[] =>
    documented === undefined ? [] : [{ name, description: documented === "" ? undefined : documented }],
  );
  const tags = (document.tags as { readonly name: string }[]).map(({ name }) => ({ name, description: tagWords(name, all) }));
  return { ...document, info: { ...(document.info as JsonObject), description: introduction(all) }, tags };
}

/** A file for people is laid out; for the wire it need not be. */
const compact = (document: string): string => JSON.stringify(JSON.parse(document));

/** The key of an operation, such as `get /users/{}`: names of parameters do not count. */
const operationsOf = ({ interfaces }: Config): readonly string[] =>
  interfaces.flatMap(({ http }) => {
    if (http === undefined) return [];
    const methods = http.method === "ANY" ? ["get", "post", "put", "patch", "delete"] : [http.method.toLowerCase()];
    return methods.map((method) => `${method} ${http.route.replace(/(?<=\/)[:*][^/]+/g, "{}")}`);
  });

function withoutOperations(document: JsonObject, dropped: ReadonlySet<string>): JsonObject | undefined {
  const paths = Object.entries(document.paths as JsonObject).flatMap(([path, item]) => {
    const shape = path.replace(/\{[^}]*\}/g, "{}");
    const operations = Object.entries(item as JsonObject).filter(([method]) => !dropped.has(`${method} ${shape}`));
    return operations.length === 0 ? [] : [[path, Object.fromEntries(operations)] as const];
  });
  if (paths.length === 0) return undefined;
  const names = new Set(
    paths.flatMap(([, item]) => Object.values(item).flatMap((each) => (isObject(each) && Array.isArray(each.tags) ? each.tags : []))),
  );
  const tags = (document.tags as JsonObject[]).filter(({ name }) => name !== undefined && names.has(name));
  return { ...document, tags, paths: Object.fromEntries(paths) };
}
