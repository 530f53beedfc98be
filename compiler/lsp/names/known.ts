import { basename, dirname, join } from "node:path";
import type { NameKind } from "#runtime/features/feature.ts";
import { entriesOf, entry, get, type Node, scalarText } from "../../1-read/document.ts";
import type { Place } from "../../2-check/places.ts";
import type { Session } from "../session.ts";
import type { SourceFile } from "../source-file.ts";
import { globalKeys, listsAround, type Modules, modulesOf, namesIn, ownTemplates, rootAround } from "./lists.ts";

/** The configuration for a file of tests; for any other file, the file itself. */
export function configOf(source: SourceFile, session: Session): SourceFile {
  if (source.role !== "test") return source;
  const target = scalarText(get(source.document?.root, "config"));
  const path = join(dirname(source.path), target ?? basename(source.path).replace(/\.test\.(ya?ml)$/, ".$1"));
  return session.files.of(path, source.project) ?? source;
}

/** The names of a kind that can be written at a place, the nearest first. */
export function namesAt(kind: NameKind | "module", place: Place, source: SourceFile, session: Session): readonly string[] {
  const config = configOf(source, session);
  const root = source.role === "test" ? config.document?.root : rootAround(place);
  if (root === undefined) return [];
  switch (kind) {
    case "action": {
      const modules = modulesOf(session.filesOf(source.project));
      if (source.role === "test") return actionsTested(place, root, modules);
      return [...new Set(listsAround(place).flatMap(({ list }) => namesIn(list, modules)))];
    }
    case "interface":
      // The whole document is used, since the part around the cursor lacks the other interfaces.
      return entriesOf(get(config.document?.root, "interfaces")).map(({ key }) => key);
    case "template":
      return [...new Set([...ownTemplates(place), ...globalKeys(root, "templates")])];
    case "database":
      return globalKeys(root, "databases");
    case "secret":
      return globalKeys(root, "secrets");
    case "server":
      return entriesOf(get(root, "mcp_servers")).map(({ key }) => key);
    case "variable":
      return [...new Set([...globalKeys(root, "variables"), ...managedVariables(source, session)])];
    case "module":
      return [...modulesOf(session.filesOf(source.project)).keys()];
  }
}

/** The variables of all environments. */
function managedVariables({ project }: SourceFile, session: Session): readonly string[] {
  const files = session.filesOf(project).filter(({ role }) => role === "variables");
  return files.flatMap(({ document }) => entriesOf(document?.root).map(({ key }) => key));
}

/** Actions of the interface that the test around a place runs. */
function actionsTested(place: Place, root: Node, modules: Modules): readonly string[] {
  let test: Place | undefined = place;
  while (test !== undefined && test.form.title !== "ContractTest") test = test.around;
  const name = scalarText(get(test?.node, "interface"));
  const target = name === undefined ? undefined : entry(get(root, "interfaces"), name)?.value;
  const list = get(target, "actions");
  return list === undefined ? [] : namesIn(list, modules);
}
