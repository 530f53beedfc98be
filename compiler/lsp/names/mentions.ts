import type { NameKind } from "#runtime/features/feature.ts";
import { entriesOf, get, type Node } from "../../1-read/document.ts";
import { parseTemplate } from "../../1-read/markers/markers.ts";
import { handleOf } from "../../2-check/modules.ts";
import { type Place, placesIn } from "../../2-check/places.ts";
import { rootMembers } from "../../4-plan/inference/root-members.ts";
import { configLanguage, languageOf, placesOf } from "../language.ts";
import type { Session } from "../session.ts";
import type { SourceFile } from "../source-file.ts";
import { configOf } from "./known.ts";
import { hasTemplate, listsAround, type Modules, modulesOf, namesIn } from "./lists.ts";
import { piecesIn } from "./pieces.ts";

/** A place where a thing is named or mentioned. */
export interface Mention {
  readonly kind: NameKind | "module";
  readonly name: string;
  /** Two mentions of equal kind, name and scope mean one thing. */
  readonly scope: string;
  readonly defines: boolean;
  readonly path: string;
  readonly start: number;
  readonly end: number;
}

/** All mentions in a file, also in its modules, whose actions belong to the list around the module's marker. */
export function mentionsIn(source: SourceFile, session: Session, files = session.filesOf(source.project)): readonly Mention[] {
  const mentions: Mention[] = [];
  const cx: Gathering = {
    config: configOf(source, session).path,
    folder: source.project.folder,
    found: mentions,
    modules: modulesOf(files),
    open: [],
  };
  for (const place of placesOf(source)) visit(place, source.path, source.text, cx);
  if (source.role === "module") mentions.push(moduleFile(source));
  return mentions;
}

interface Gathering {
  readonly config: string;
  readonly folder: string;
  readonly found: Mention[];
  readonly modules: Modules;
  /** The modules that are being visited. A module inside itself is a mistake, and must not cause an endless loop. */
  readonly open: readonly string[];
}

const moduleFile = ({ path, project }: SourceFile): Mention => ({
  ...{ kind: "module", name: handleOf(path.replaceAll("\\", "/")), scope: project.folder, defines: true, path, start: 0, end: 0 },
});

function visit(place: Place, path: string, text: string, cx: Gathering): void {
  const { node, form } = place;
  const kind = form.defines ?? form.names;
  if (kind !== undefined) {
    for (const [name, span] of namesOf(node, text)) {
      const scope = scopeOf(kind, name, place, cx);
      cx.found.push({ kind, name, scope, defines: form.defines !== undefined, path, ...span });
    }
  }
  if (node.kind === "map") for (const { key, keySpan } of node.entries) visitMarkers(place, key, { path, text, ...keySpan }, cx);
  if (node.kind !== "scalar" || typeof node.value !== "string") return;
  const source = { path, text, ...node.span };
  if (place.around?.entry?.key === "lookup_inherit_jq") visitRootMembers(place, node.value, source, cx);
  visitMarkers(place, node.value, source, cx);
}

/** A range of a file that holds a text with markers. */
interface Source extends Range {
  readonly path: string;
  readonly text: string;
}

/** The names in a scalar or in the keys of a map, with their ranges without quotes. */
function namesOf(node: Node, text: string): readonly (readonly [string, { readonly start: number; readonly end: number }])[] {
  if (node.kind === "map") return node.entries.map(({ key, keySpan }) => [key, unquoted(key, keySpan, text)]);
  return node.kind === "scalar" && typeof node.value === "string" ? [[node.value, unquoted(node.value, node.span, text)]] : [];
}

function unquoted(name: string, { start, end }: { readonly start: number; readonly end: number }, text: string): Range {
  const offset = text.slice(start, end).indexOf(name);
  return offset < 0 ? { start, end } : { start: start + offset, end: start + offset + name.length };
}

interface Range {
  readonly start: number;
  readonly end: number;
}

/** Actions that a filter of `lookup_inherit_jq` names as members of its input: `.Users | length`. */
function visitRootMembers(place: Place, filter: string, { path, text, ...range }: Source, cx: Gathering): void {
  for (const name of rootMembers(filter).filter((each) => isAction(each, place, cx))) {
    const member = new RegExp(`(?<![\\w\\])}.])\\.${name}(?![\\w-])`, "g");
    for (const { index } of text.slice(range.start, range.end).matchAll(member)) {
      const start = range.start + index + 1;
      cx.found.push({
        kind: "action",
        name,
        scope: scopeOf("action", name, place, cx),
        defines: false,
        path,
        start,
        end: start + name.length,
      });
    }
  }
}

/** Kinds by the root that reads them. */
const kinds: Readonly<Record<string, NameKind | "module">> = {
  var: "variable",
  ap_var: "variable",
  secret: "secret",
  template: "template",
  module: "module",
};

function visitMarkers(place: Place, value: string, { path, text, ...range }: Source, cx: Gathering): void {
  if (!value.includes("a|") || !parseTemplate(value).parts.some((part) => part.kind === "marker")) return;
  for (const piece of piecesIn(text, range.start, range.end)) {
    const { start, end, text: name } = piece;
    const kind = piece.kind === "action" ? "action" : piece.kind === "name" ? kinds[piece.root] : undefined;
    if (kind === undefined) continue;
    if (kind === "action" && !isAction(name, place, cx)) continue;
    cx.found.push({ kind, name, scope: scopeOf(kind, name, place, cx), defines: false, path, start, end });
    if (kind === "module") visitModule(name, place, cx);
  }
}

const isAction = (name: string, place: Place, { modules }: Gathering): boolean =>
  listsAround(place).some(({ list }) => namesIn(list, modules).includes(name));

/** Visits a module. Its text belongs to the place that uses it. */
function visitModule(handle: string, place: Place, cx: Gathering): void {
  const file = cx.modules.get(handle);
  if (file?.document === undefined || cx.open.includes(handle)) return;
  const { root } = file.document;
  const spec = get(root, "spec");
  const isTyped = spec !== undefined && entriesOf(root).some(({ key }) => key === "type");
  const language = languageOf("module", root);
  const slot = isTyped ? (language.root.properties?.spec ?? {}) : language.root;
  const inner: Gathering = { ...cx, open: [...cx.open, handle] };
  for (const each of placesIn(isTyped ? spec : root, { ...configLanguage(), root: slot }, place.around))
    visit(each, file.path, file.text, inner);
}

/** The scope of the thing that a name means at a place. */
function scopeOf(kind: NameKind | "module", name: string, place: Place, { config, folder, modules }: Gathering): string {
  switch (kind) {
    case "action": {
      if (config !== undefined && testedInterface(place) !== undefined) return JSON.stringify([config, testedInterface(place)]);
      const own = listsAround(place).find(({ list }) => namesIn(list, modules).includes(name));
      return JSON.stringify([config, ...(own?.path ?? [])]);
    }
    case "template":
      return JSON.stringify(hasTemplate(place, name) ? [config, listsAround(place).at(-1)?.path[0] ?? ""] : [config]);
    case "variable":
    case "module":
      return folder;
    case "database":
    case "interface":
    case "secret":
    case "server":
      return config;
  }
}

/** The interface that the test around a place runs. */
function testedInterface(place: Place): string | undefined {
  let test: Place | undefined = place;
  while (test !== undefined && test.form.title !== "ContractTest") test = test.around;
  const node = get(test?.node, "interface");
  return node?.kind === "scalar" && typeof node.value === "string" ? node.value : undefined;
}

/** All mentions of the same thing in the files of the project, each place once. */
export function allOf(mention: Mention, source: SourceFile, session: Session): readonly Mention[] {
  const files = session.filesOf(source.project);
  const all = files.flatMap((file) => mentionsIn(file, session, files));
  const same = all.filter(({ kind, name, scope }) => kind === mention.kind && name === mention.name && scope === mention.scope);
  return [...new Map(same.map((each) => [`${each.path}\0${each.start}`, each] as const)).values()];
}

/** The mentions at a place: one for each list that uses the text of the place. */
export function mentionsAt(source: SourceFile, offset: number, session: Session): readonly Mention[] {
  const isHere = ({ path, start, end }: Mention): boolean => path === source.path && start <= offset && offset <= end && end > start;
  const own = mentionsIn(source, session).filter(isHere);
  if (source.role !== "module") return own;
  const files = session.filesOf(source.project);
  const used = files
    .filter(({ role }) => role === "config")
    .flatMap((file) => mentionsIn(file, session, files))
    .filter(isHere);
  return used.length > 0 ? used : own;
}
