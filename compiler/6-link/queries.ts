import { isSimpleQuery } from "#runtime/lib/path-syntax.ts";
import type { PrintedModule } from "../5-print/index.ts";

/** The part of the runtime that reads queries of RFC 9535 beyond names, indexes and wildcards, with the packages that it needs. */
const queryReader = "lib/json-path.ts";

/** What stands in its place in a bundle that has no such query. */
const noQueryReader = 'export const parseQuery = () => { throw new TypeError("a query that the bundle was not linked for"); };\n';

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

/** The part that fetches key sets of providers, for which it needs an HTTP client. */
const keySets = "lib/jwks.ts";

const noKeySets = 'export const keyFinder = () => { throw new TypeError("a key set that the bundle was not linked for"); };\n';

/** The part that lets connections leave HTTP. */
const upgrades = "triggers/http/upgrade.ts";

/** Nothing is asked for, and nobody is there to take it. */
const noUpgrades =
  "export class Upgrades { serve() {} at() { return undefined; } isAsked() { return false; } isPlain() { return false; } receive({ socket }) { socket.destroy(); } async end() {} }\n";

/** Parts of the runtime that few modules need, by their files, and what stands in their place where none does. */
export const dispensable: readonly {
  readonly file: string;
  readonly instead: string;
  readonly isNeeded: (modules: readonly PrintedModule[]) => boolean;
}[] = [
  { file: queryReader, instead: noQueryReader, isNeeded: hasQueries },
  { file: upgrades, instead: noUpgrades, isNeeded: (modules) => modules.some(({ code }) => /^ {2}protocols: \[/m.test(code)) },
  { file: keySets, instead: noKeySets, isNeeded: (modules) => modules.some(({ code }) => /jwks_url|web_sockets/.test(code)) },
];
