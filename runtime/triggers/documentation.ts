import type { Config } from "../run/interface.ts";
import type { Reply } from "../run/response.ts";
import { isObject, type JsonObject } from "../value/json.ts";
import { type Introduced, introduction, tagWords } from "./introduction.ts";
import { htmlReply, jsonReply, type PageParts } from "./pages.ts";

/** The API document as JSON, and the page that shows it. */
export interface DocumentationParts extends PageParts {
  /** The document as text, or a function that makes it at its first use. */
  readonly document: string | (() => string);
}

/** The pages of an API document, by path. */
export interface Documentation {
  readonly replies: readonly { readonly path: string; readonly reply: () => Reply }[];
  /** The document without configurations that this environment keeps out of it; undefined when none is left. */
  readonly of: (configs: readonly Config[]) => Documentation | undefined;
}

/** `GET /docs.json` and the page `GET /documentation` (spec/surfaces 7). The page shows all content of the document as plain text only. */
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
      const left = withoutOperations(JSON.parse(text()) as JsonObject, new Set(off.flatMap(operationsOf))); // the compiler wrote it
      return left === undefined ? undefined : documentation({ document: JSON.stringify(reworded(left, on)), ...page });
    },
  };
};

/** Rewrites the document for the remaining configurations. Components and tags that no operation refers to are removed. */
function reworded(document: JsonObject, configs: readonly Config[]): JsonObject {
  const all = configs.flatMap(({ name, documented }): Introduced[] =>
    documented === undefined ? [] : [{ name, description: documented === "" ? undefined : documented }],
  );
  const tags = (document.tags as { readonly name: string }[]).map(({ name }) => ({ name, description: tagWords(name, all) }));
  return { ...document, info: { ...(document.info as JsonObject), description: introduction(all) }, tags };
}

/** The document without the layout that is for human readers. */
const compact = (document: string): string => JSON.stringify(JSON.parse(document));

/** The keys of operations, such as `get /users/{}`: names of parameters do not count. */
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
