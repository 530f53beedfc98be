import { FilterCheck } from "#runtime/languages/jq.ts";
import type { Span } from "#runtime/plan/index.ts";
import { type Entry, get, items, type Node } from "../1-read/document.ts";
import { check } from "../2-check/index.ts";
import { resolve } from "../3-resolve/index.ts";
import { plan } from "../4-plan/index.ts";
import { type AnalysedPlan, analyse } from "../5-analyse/index.ts";
import type { Report } from "../diagnostics/diagnostic.ts";
import type { TestFile } from "./test-file.ts";

/** The name of the configuration into which the tests of answers in a file are compiled. */
const judgeName = (file: string): string => `tests of ${file}`;

/** The name of the interface that holds the tests of the nth test. */
export const judgeInterface = (index: number): string => `test/${index}`;

/** The name of the action for the nth of these tests. */
const actionName = (index: number): string => `Test${index}`;

/**
 * `expect.tests` of a file as a configuration: an interface for each contract test of the file, with an action for each of its
 * `expect.tests`, whose input is the answer. So these tests have the same meaning as everywhere in the language. Undefined if there are
 * none.
 */
export function answerTests({ document, tests }: TestFile, report: Report): AnalysedPlan | undefined {
  const at = document.root.span;
  const interfaces = tests.flatMap(({ expect }, index) => {
    const list = items(get(expect, "tests"));
    return list.length === 0 ? [] : [entryOf(judgeInterface(index), interfaceOf(list, at), at)];
  });
  if (interfaces.length === 0) return undefined;
  const root = mapOf([entryOf("name", text(judgeName(document.file), at), at), entryOf("interfaces", mapOf(interfaces, at), at)], at);
  const whole = { ...document, root };
  const config = resolve({ document: whole, root: check(whole, report) }, report);
  const filters = new FilterCheck();
  const outside = {
    refusal: (filter: string, names: number) => filters.refusal(filter, names),
    include: () => ({ problem: "not readable" }) as const,
  };
  const planned = plan(config, report, outside, []);
  void filters.close();
  return analyse(planned, report);
}

function interfaceOf(list: readonly Node[], at: Span): Node {
  const actions = list.map((node, i) => {
    const assert = mapOf([entryOf("tests", { kind: "list", span: node.span, items: [node] }, node.span)], node.span);
    const own = [
      entryOf("name", text(actionName(i), at), at),
      entryOf("input", text("a|body|", at), at),
      entryOf("assert", assert, node.span),
    ];
    return mapOf(own, node.span);
  });
  return mapOf([entryOf("actions", { kind: "list", span: at, items: actions }, at)], at);
}

const entryOf = (key: string, value: Node, keySpan: Span): Entry => ({ key, keySpan, value });
const mapOf = (entries: readonly Entry[], span: Span): Node => ({ kind: "map", span, entries });
const text = (value: string, span: Span): Node => ({ kind: "scalar", span, value, block: false, source: value });

/** The index of the test for an action of such an interface. */
export const testOfAction = (name: string): number => Number(name.slice("Test".length));
