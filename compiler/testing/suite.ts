import type { InterfacePlan, Span } from "#runtime/plan/index.ts";
import { entriesOf, entry, get } from "../1-read/document.ts";
import { findConfigs, findTests } from "../1-read/files.ts";
import type { AnalysedPlan } from "../5-analyse/index.ts";
import { routeNames } from "../5-analyse/shapes/roots.ts";
import { contractTests } from "../diagnostics/codes/contract-tests.ts";
import { names } from "../diagnostics/codes/names.ts";
import { collector } from "../diagnostics/collect.ts";
import type { Diagnostic, Report } from "../diagnostics/diagnostic.ts";
import { nearest } from "../diagnostics/nearest.ts";
import { lineTable, type Sources } from "../diagnostics/position.ts";
import type { Planned } from "../pipeline.ts";
import { answerTests } from "./answer-tests.ts";
import type { Case } from "./case.ts";
import { exampleCases } from "./examples.ts";
import { type GivenWorld, givenOf } from "./given.ts";
import { readTests, type TestFile, type WrittenTest } from "./test-file.ts";

/** All tests of a project, and the mistakes in their files. */
export interface Suite {
  readonly cases: readonly Case[];
  readonly files: readonly TestFile[];
  /** The configurations made of the tests of answers. */
  readonly judges: readonly AnalysedPlan[];
  readonly diagnostics: readonly Diagnostic[];
  readonly failed: boolean;
  /** The sources of the project and of its tests. */
  readonly sources: Sources;
}

/** Reads the tests that stand beside the configurations of a project. `configs` gives the names of configurations by their paths. */
export function readSuite(planned: Planned, paths: readonly string[], configs: ReadonlyMap<string, string>, cwd: string): Suite {
  const findings = collector();
  const read = findTests(paths, cwd).map((file) => readTests(file, configs, cwd, findings.report));
  const files = read.flatMap(({ tests }) => tests ?? []);
  const ofFiles = files.flatMap((file) => casesOf(file, planned, findings.report));
  // Only errors are reported. The types of an answer are unknown, so notes about them do not help.
  const mistakes: Report = (finding, at, related) => void (finding.severity === "error" && findings.report(finding, at, related));
  const judges = files.flatMap((file) => answerTests(file, mistakes) ?? []);
  const shared = (config: string) => files.find((file) => file.config === config)?.given;
  // For a named file of tests, only its own tests run.
  const namedConfigs = new Set(findConfigs(paths, cwd).map(({ file }) => file));
  const examples = planned.plans
    .filter(({ file }) => namedConfigs.has(file))
    .flatMap((config) => exampleCases(config, shared(config.file)));
  const tables = new Map(read.map(({ file, text }) => [file, lineTable(text)]));
  return {
    cases: [...ofFiles, ...examples],
    files,
    judges,
    diagnostics: findings.diagnostics(),
    failed: findings.hasErrors(),
    sources: { lines: (file) => tables.get(file) ?? planned.sources.lines(file) },
  };
}

function casesOf(file: TestFile, { plans }: Planned, report: Report): Case[] {
  const config = plans.find((each) => each.file === file.config);
  if (config === undefined) return [];
  const interfaces = config.interfaces.map(({ name }) => name);
  return file.tests.flatMap((test, index): Case[] => {
    const target = config.interfaces.find(({ name }) => name === test.interface);
    const span = get(test.node, "interface")?.span ?? test.node.span;
    if (target === undefined) {
      report(names.unknownInterface(test.interface, nearest(test.interface, interfaces)), span);
      return [];
    }
    refuseUnknownActions(test, target, report);
    const world = givenOf(test.given, file.given, config, target, report);
    const at = entry(test.node, "name")?.value.span ?? test.node.span;
    refuseMissingParams(test, world, target, at, report);
    return [{ name: test.name, file: file.document.file, at, config, target, given: world, skip: test.skip, written: { test, index } }];
  });
}

function refuseUnknownActions({ expect }: WrittenTest, { actions }: InterfacePlan, report: Report): void {
  const actionNames = actions.map(({ name }) => name);
  for (const { key, keySpan } of entriesOf(get(expect, "actions")))
    if (!actionNames.includes(key)) report(contractTests.unknownName("action", key, nearest(key, actionNames)), keySpan);
}

/** Refuses a test without a value for a parameter of the route, since `:name` itself would be sent. */
function refuseMissingParams(
  { given, skip }: WrittenTest,
  { request }: GivenWorld,
  { route }: InterfacePlan,
  at: Span,
  report: Report,
): void {
  if (skip !== undefined || route === undefined || request.trigger !== "http" || request.path !== undefined) return;
  const routeParams = routeNames(route);
  const others = entriesOf(get(given, "params")).filter(({ key }) => !routeParams.includes(key));
  for (const name of routeParams.filter((each) => !Object.hasOwn(request.params, each))) {
    const keys = others.map(({ key }) => key);
    const meant = keys.find((key) => key.toLowerCase() === name.toLowerCase()) ?? nearest(name, keys);
    const place = others.find(({ key }) => key === meant)?.keySpan ?? at;
    report(contractTests.missingParam(name, route, meant), place);
  }
}

/** The tests whose name, interface or file contains a text, in any case of letters. */
export function filtered(cases: readonly Case[], text: string | undefined): readonly Case[] {
  if (text === undefined) return cases;
  const part = text.toLowerCase();
  return cases.filter(({ name, file, target }) => [name, file, target.name].some((each) => each.toLowerCase().includes(part)));
}
