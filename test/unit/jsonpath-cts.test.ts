import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { Reject } from "#runtime/failure.ts";
import type { Json } from "#runtime/json.ts";
import { matchesOf, walkThrough } from "#runtime/lib/nodes-walk.ts";
import { nodePath } from "#runtime/lib/path.ts";
import { sharedFolder } from "../harness/folders.ts";

// The JSONPath Compliance Test Suite, through the parser and the walk that transforms use.

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

describe.skipIf(folder === undefined)("jsonpath-cts", () => {
  const suite = folder === undefined ? [] : read(new URL("jsonpath-cts.json", folder));

  it("is all there", () => {
    expect(suite).toHaveLength(703);
  });

  it.each(suite.map((one) => [one.name, one] as const))("%s", (_, { selector, document, result, results, invalid_selector }) => {
    if (invalid_selector) expect(refusal(selector)).toBe("PW209");
    else expect(results ?? [result]).toContainEqual(found(selector, document ?? null));
  });
});

const read = (file: URL): readonly Case[] => (JSON.parse(readFileSync(file, "utf8")) as { tests: Case[] }).tests;

function found(selector: string, document: Json): readonly Json[] {
  const { steps, rooted, text } = nodePath(selector);
  return matchesOf(document, steps, rooted, walkThrough(document, text)).map(({ value }) => value);
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
