import { roots } from "#runtime/run/marker-roots.ts";
import { filterWords } from "../../1-read/markers/filter-words.ts";
import type { Marker, TemplatePart } from "../../1-read/markers/marker.ts";
import { parseTemplate } from "../../1-read/markers/markers.ts";
import { namesAt } from "../names/known.ts";
import { cursorWord } from "./cursor.ts";
import { CompletionItemKind, type Offer } from "./item.ts";
import { membersAt } from "./members.ts";
import type { Around } from "./values.ts";

/** The part of a marker that is being written. */
type Spot = { readonly kind: "root" | "path" | "step" } | { readonly kind: "name"; readonly root: string };

/** All completions inside a marker: roots and actions, names, members of the value, filters. */
export function markerOffers(around: Around): readonly Offer[] {
  const { node } = around.cursor.place;
  const text = node.kind === "scalar" ? String(node.value) : "";
  const spot = spotIn(parseTemplate(text).parts) ?? spotIn(parseTemplate(text, { code: true }).parts);
  switch (spot?.kind) {
    case "root":
      return rootOffers(around);
    case "name":
      return nameOffers(spot.root, around);
    case "path":
      return membersAt(around);
    case "step":
      return [...filterOffers, ...membersAt(around)];
    case undefined:
      return [];
  }
}

function spotIn(parts: readonly TemplatePart[]): Spot | undefined {
  for (const part of parts) {
    const spot = part.kind === "marker" ? spotOf(part) : undefined;
    if (spot !== undefined) return spot;
  }
  return undefined;
}

function spotOf({ root, path, steps }: Marker): Spot | undefined {
  if (root.includes(cursorWord)) return { kind: "root" };
  if (path?.includes(cursorWord)) {
    const isNamed = Object.hasOwn(roots, root) && roots[root]?.named === true && (path.split(/[.[]/)[0] ?? "").includes(cursorWord);
    return isNamed ? { kind: "name", root } : { kind: "path" };
  }
  for (const step of steps) {
    if (step.kind === "path" && step.path.includes(cursorWord)) return { kind: step.path === cursorWord ? "step" : "path" };
    const inner = step.kind === "filter" && step.argument?.kind === "template" ? spotIn(step.argument.parts) : undefined;
    if (inner !== undefined) return inner;
  }
  return undefined;
}

function rootOffers({ source, session, cursor }: Around): readonly Offer[] {
  const actions = namesAt("action", cursor.place, source, session).filter((name) => !name.includes(cursorWord));
  return [
    ...actions.map((name) => ({ label: name, kind: CompletionItemKind.Variable, detail: "action" })),
    ...Object.entries(roots).map(([name, { summary, named }]) => ({
      label: name,
      kind: CompletionItemKind.Keyword,
      text: named === true ? `${name}::` : name,
      doc: summary,
    })),
  ];
}

/** The kinds of names, by the root that reads them. */
const kinds = { var: "variable", ap_var: "variable", secret: "secret", template: "template", module: "module" } as const;

function nameOffers(root: string, { source, session, cursor }: Around): readonly Offer[] {
  if (root === "env") return environmentNames(source.text).map((name) => ({ label: name, kind: CompletionItemKind.Constant }));
  if (!Object.hasOwn(kinds, root)) return [];
  const kind = kinds[root as keyof typeof kinds]; // the line above has checked it
  return namesAt(kind, cursor.place, source, session).map((name) => ({ label: name, kind: CompletionItemKind.Constant, detail: kind }));
}

/** Environment variables that the file already reads, since their names are declared nowhere. */
const environmentNames = (text: string): readonly string[] => [
  ...new Set([...text.matchAll(/a\|\s*env\s*::\s*([A-Za-z_][A-Za-z0-9_]*)/g)].flatMap(([, name]) => name ?? [])),
];

const filterOffers: readonly Offer[] = filterWords.map(({ name, arity, summary, edges = "" }) => ({
  label: name,
  kind: CompletionItemKind.Function,
  text: arity === 1 ? `${name}(` : name,
  detail: arity === 1 ? "filter (x)" : "filter",
  doc: [summary, edges].filter((part) => part !== "").join("\n\n"),
}));
