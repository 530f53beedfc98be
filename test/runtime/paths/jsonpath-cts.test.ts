import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { parseQuery } from "#runtime/paths/json-path.ts";
import { type PathStep, walkThrough } from "#runtime/paths/nodes.ts";
import { matchesOf } from "#runtime/paths/nodes-walk.ts";
import { nodePath, valuePath } from "#runtime/paths/path.ts";
import { Reject } from "#runtime/value/failure.ts";
import type { Json } from "#runtime/value/json.ts";
import { planned, printOne } from "../../harness/compile.ts";
import { evaluate } from "../../harness/evaluate.ts";
import { sharedFolder } from "../../harness/folders.ts";
import { runOnce } from "../../harness/run-once.ts";
import { stillHost } from "../../harness/still-host.ts";

// The JSONPath Compliance Test Suite: through our reader of queries, and through paths as transforms take them, which read most queries
// themselves.

interface Case {
  readonly name: string;
  readonly selector: string;
  readonly document?: Json;
  /** One outcome, or several where the order of members is free. */
  readonly result?: readonly Json[];
  readonly results?: readonly (readonly Json[])[];
  readonly invalid_selector?: true;
}

const folder = sharedFolder("suites");
const suite = folder === undefined ? [] : read(new URL("jsonpath-cts.json", folder));

describe.skipIf(folder === undefined)("jsonpath-cts", () => {
  it("is all there", () => {
    expect(suite).toHaveLength(703);
  });

  it.each(suite.map((one) => [one.name, one] as const))("%s", (_, { selector, document = null, result, results, invalid_selector }) => {
    if (invalid_selector) {
      expect(parseQuery(selector)).toHaveProperty("reason");
      expect(refusal(selector)).toBe("PW209");
      return;
    }
    const allowed = results ?? [result];
    expect(allowed).toContainEqual(found(readable(selector), document));
    expect(allowed).toContainEqual(found(nodePath(selector).steps, document));
  });
});

describe.skipIf(folder === undefined)("jsonpath-cts as transforms", () => {
  const valid = suite.filter((one) => !one.invalid_selector);
  const interfaces = valid.map(({ selector }, i) => [
    `case_${i}`,
    { method: "POST", actions: [{ name: "A", input: "a|body::d|", post_transforms: [{ extract_with_json_path: selector }] }] },
  ]);
  const config = stringify({ name: "cts", interfaces: Object.fromEntries(interfaces) }, { lineWidth: 0 });

  it.each(["printed", "walked"])("%s", async (how) => {
    const { code } = await printOne(planned(config), { interpret: how === "walked" });
    const service = await evaluate(code);
    const host = stillHost({});
    for (const [i, { name, selector, document = null, result, results }] of valid.entries()) {
      const { outcomes } = await runOnce(service, `case_${i}`, { body: { d: document } }, host);
      const [{ data = null, error } = {}] = outcomes;
      const allowed = (results ?? [result]).map((list) => (isSingular(selector) ? (list ?? [])[0] : list));
      // A query that names one place and finds nothing fails.
      expect.soft(allowed, name).toContainEqual(error === undefined ? data : undefined);
    }
    await host.close();
  });
});

function isSingular(selector: string): boolean {
  try {
    valuePath(selector);
    return true;
  } catch {
    return false;
  }
}

function read(file: URL): readonly Case[] {
  return (JSON.parse(readFileSync(file, "utf8")) as { tests: Case[] }).tests; // the suite says so
}

function readable(selector: string): readonly PathStep[] {
  const steps = parseQuery(selector);
  if ("reason" in steps) throw new Error(steps.reason);
  return steps;
}

function found(steps: readonly PathStep[], document: Json): readonly Json[] {
  return matchesOf(document, steps, true, walkThrough(document, "")).map(({ value }) => value);
}

/** The code with which a path is refused. */
function refusal(path: string): string {
  try {
    nodePath(path);
  } catch (error) {
    if (error instanceof Reject) return error.code;
    throw error;
  }
  return "none";
}
