import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { AnyFeature, Filter } from "#runtime/features/feature.ts";
import { flags } from "#runtime/process/settings/flags.ts";
import { variables } from "#runtime/process/settings/variables.ts";
import { roots } from "#runtime/run/marker-roots.ts";
import { language } from "../../2-check/schema.ts";
import type { Stores } from "../../2-check/skeleton-stores.ts";
import { operations } from "../../2-check/skeleton-transforms.ts";
import type { Triggers } from "../../2-check/skeleton-triggers.ts";
import { commandFlags } from "../../cli/serving-flags.ts";
import { allFailures } from "../../diagnostics/codes/failures.ts";
import { allCodes } from "../../diagnostics/codes/index.ts";
import { facadeEntries } from "../facade.ts";
import { actionExamples, casesOf, matcherExamples, transformExamples } from "./cases.ts";
import { diagnosticPage, documented, framesOf } from "./diagnostic-page.ts";
import { featurePage, type PagedKind, pagedKinds } from "./feature-page.ts";
import { codesPage, indexPage } from "./index-page.ts";
import { readKeyExamples } from "./keys/examples.ts";
import { keyPage } from "./keys/key-page.ts";
import { keyPages } from "./keys/layout.ts";
import { markerCases } from "./marker-cases.ts";
import { filtersPage, rootsPage } from "./marker-pages.ts";
import { runtimePage } from "./runtime-page.ts";
import { settingsPage } from "./settings-page.ts";
import { testsPage } from "./tests-page.ts";
import { transformsPage } from "./transforms-page.ts";

/** The features by kind and name, and the filters: the exports of generated/features.ts. */
export interface Features extends Readonly<Record<PagedKind, Readonly<Record<string, AnyFeature>>>>, Stores {
  readonly triggers: Triggers;
  readonly filters: Readonly<Record<string, Filter>>;
}

/**
 * Every page of generated/reference/ by its path there. `root` is the folder of the project, from which comments and fixtures are quoted.
 */
export function referencePages(root: string, features: Features): ReadonlyMap<string, string> {
  const diagnostics = documented([...allCodes, ...allFailures]);
  const frames = framesOf(expectedFrames(join(root, "test/fixtures/diagnostics")));
  const { root: config, definitions } = language(features);
  const tables = { ...features, transforms: sorted({ ...features.transforms, ...operations }) };
  const pages = new Map([["README.md", indexPage({ features: tables })]]);
  pages.set("diagnostics/README.md", codesPage(diagnostics));
  pages.set("transforms/README.md", transformsPage(features.transforms, operations, join(root, "runtime")));
  for (const [name, feature] of Object.entries(operations)) {
    const source = join(root, "runtime/run/steps", `${name.replace(/_transforms$/, "")}.ts`);
    pages.set(`transforms/${name}.md`, featurePage("transforms", name, feature, source, ""));
  }
  for (const kind of Object.keys(pagedKinds) as PagedKind[]) {
    for (const [name, feature] of Object.entries(features[kind])) {
      const source = join(root, "runtime/features", kind, `${name}.ts`);
      const examples = examplesOf(kind, name, join(root, "test/fixtures", kind, name, "cases.yaml"));
      pages.set(`${kind}/${name}.md`, featurePage(kind, name, feature, source, examples));
    }
  }
  const { filters: filterCases, roots: rootCases } = markerCases(root);
  const sourceOf = (name: string): string => readFileSync(join(root, "runtime/features/filters", `${name}.ts`), "utf8");
  pages.set("markers/filters.md", filtersPage(features.filters, sourceOf, filterCases));
  pages.set("markers/roots.md", rootsPage(roots, rootCases));
  pages.set("runtime.md", runtimePage(facadeEntries(join(root, "runtime")), join(root, "runtime")));
  const keyWorld = {
    records: { Config: config, ...definitions },
    actions: features.actions,
    examples: readKeyExamples(join(root, "test/fixtures/keys")),
  };
  pages.set("contract-tests.md", testsPage());
  pages.set("settings.md", settingsPage(flags, commandFlags, variables));
  for (const page of keyPages) pages.set(page.file, keyPage(page, keyWorld));
  for (const diagnostic of diagnostics)
    pages.set(`diagnostics/${diagnostic.code}.md`, diagnosticPage(diagnostic, frames.get(diagnostic.code)));
  return pages;
}

const sorted = (table: Readonly<Record<string, AnyFeature>>): Readonly<Record<string, AnyFeature>> =>
  Object.fromEntries(Object.entries(table).sort(([a], [b]) => (a < b ? -1 : 1)));

function examplesOf(kind: PagedKind, name: string, file: string): string {
  switch (kind) {
    case "transforms":
      return transformExamples(name, casesOf(file));
    case "matchers":
      return matcherExamples(name, casesOf(file));
    case "actions":
      return actionExamples(casesOf(file));
  }
}

function expectedFrames(folder: string): readonly string[] {
  const files = readdirSync(folder).sort();
  return files.map((name) => join(folder, name, "expected.txt")).flatMap((file) => (existsSync(file) ? [readFileSync(file, "utf8")] : []));
}
