import { secretStores } from "#generated/features.ts";
import type { StoreFacts } from "#runtime/features/feature.ts";
import type { Expr } from "#runtime/plan/index.ts";
import type { Sources } from "../../4-plan/inference/provenance.ts";
import { storeHosts } from "./aws.ts";
import { touchedBy } from "./calls.ts";
import { member } from "./member.ts";
import { namesOf } from "./names.ts";
import type { Touched } from "./touched.ts";

const stores: Readonly<Record<string, StoreFacts>> = secretStores;

/** The things outside that a store of secrets touches with these settings; its record says which settings name them. */
export function touchedByStore(kind: string, settings: Expr, known: Sources): readonly Touched[] {
  const { command, http, aws, files = [] } = stores[kind]?.touches ?? {};
  const names = (field: string): ReturnType<typeof namesOf> => namesOf(member(settings, field), known);
  const shell = names("shell").map(({ name }) => name);
  const of = shell.length === 0 ? "program" : shell.join(" ");
  return [
    ...(command === undefined ? [] : names(command).map((name): Touched => ({ kind: "commands", ...name, of }))),
    ...(http === undefined ? [] : touchedBy("http", member(settings, http), known, "")),
    ...(aws === undefined ? [] : storeHosts(aws).map((name): Touched => ({ kind: "hosts", name }))),
    ...files.flatMap(names).map((name): Touched => ({ kind: "files", ...name })),
  ];
}
