import { isSimpleQuery } from "#runtime/lib/path-syntax.ts";
import type { PrintedModule } from "../5-print/index.ts";

/** By the parts of the runtime that few modules need, with the packages that only they import: whether one of these modules does. */
const needs: Readonly<Record<string, (modules: readonly PrintedModule[]) => boolean>> = {
  // Reads queries of RFC 9535 beyond names, indexes and wildcards.
  "lib/json-path.ts": hasQueries,
  // Fetches key sets of providers, for which it needs an HTTP client.
  "lib/jwks.ts": (modules) => modules.some(({ code }) => /jwks_url|web_sockets/.test(code)),
  // Lets connections leave HTTP.
  "triggers/http/upgrade.ts": (modules) => modules.some(({ code }) => /^ {2}protocols: \[/m.test(code)),
};

/** Files of the runtime in whose place a bundle may have the one of the same name in `runtime/absent/`. */
export const dispensable: readonly string[] = Object.keys(needs);

/** A link without modules is for those that come later, whatever they need. */
export function isNeeded(file: string, modules: readonly PrintedModule[]): boolean {
  return modules.length === 0 || needs[file]?.(modules) !== false;
}

/**
 * Whether a path of these modules may be such a query. Only texts of the config are read as queries, and each stands in the module as it is
 * written: a path is never `$` syntax because of what a marker gives (transforms.md 2.1). Where keys are put into paths, any `$` counts.
 */
function hasQueries(modules: readonly PrintedModule[]): boolean {
  return modules.some(({ code }) => {
    const queries = [...code.matchAll(/"\$(?:[^"\\\n]|\\.)*"|`\\?\$/g)].map(([text]) => text);
    return code.includes("path_key")
      ? queries.length > 0
      : queries.some((text) => text.startsWith("`") || !isSimpleQuery(JSON.parse(text)));
  });
}
