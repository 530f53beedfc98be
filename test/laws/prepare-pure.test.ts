import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import { Reject } from "#runtime/value/failure.ts";
import { casesOf, type Kind, loadFeature } from "../harness/feature-cases.ts";
import { fixturesOf } from "../harness/folders.ts";
import { frozen } from "../harness/frozen.ts";

// Law `prepare-pure`: stage 1 gives equal results for equal arguments and does not change them, so that it may run at compile time, once
// per module, or in every run.

describe.each(["transforms", "matchers"] as const satisfies readonly Kind[])("%s", (kind) => {
  test.each(fixturesOf(kind))("%s", async (name) => {
    const { prepare } = await loadFeature(kind, name);
    if (prepare === undefined) return;
    for (const { name: label, args } of casesOf(kind, name)) {
      // Frozen arguments throw when they are changed.
      const [once, again] = [outcomeOf(() => prepare(frozen(args))), outcomeOf(() => prepare(frozen(args)))];
      expect(once, label).toBe(again);
    }
  });
});

/** The visible content of a prepared value or of a refusal, as text. */
function outcomeOf(stage: () => unknown): string {
  try {
    return inspect(stage(), { depth: null, maxArrayLength: null, maxStringLength: null });
  } catch (error) {
    if (error instanceof Reject) return `${error.code}: ${error.message}`;
    throw error;
  }
}
