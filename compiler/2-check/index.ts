import * as features from "#generated/features.ts";
import type { Document, Node } from "../1-read/document.ts";
import type { Report } from "../diagnostics/diagnostic.ts";
import { checker, partChecker } from "./checker.ts";

/**
 * Phase 2: the shape of one configuration (spec/language 1.2, 1.3): keys, types, legacy names, static fields, unsupported features. The
 * result holds only correct values, so that later phases never report a consequence of a mistake. Wrong values are removed. Records that
 * other records name (the configuration, interfaces, actions, databases) stay even when they have lost a required part.
 */
export function check(document: Document, report: Report): Node {
  return compiled()(document, report);
}

/** Checks a test that stands where phase 2 does not look for tests; undefined when it has a mistake. */
export function checkTest(node: Node, report: Report): Node | undefined {
  return compiledTest()(node, report);
}

/** The language does not change while the process lives, and compiling it takes longer than checking most files. */
const compiled = once(() => checker(features));
const compiledTest = once(() => partChecker(features, "Test"));

function once<V>(make: () => V): () => V {
  let value: V | undefined;
  return () => {
    value ??= make();
    return value;
  };
}
