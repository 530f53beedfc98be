import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { Reject } from "#runtime/failure.ts";
import type { Json } from "#runtime/json.ts";
import { parseQuery } from "#runtime/lib/json-path.ts";
import type { PathStep } from "#runtime/lib/nodes.ts";
import { matchesOf, walkThrough } from "#runtime/lib/nodes-walk.ts";
import { nodePath } from "#runtime/lib/path.ts";
import { sharedFolder } from "../harness/folders.ts";

// The JSONPath Compliance Test Suite: through our reader of queries, and through paths as transforms take them, which read most queries themselves.

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
