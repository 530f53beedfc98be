import { expect, test } from "vitest";
import { prepare, yaml_to_json } from "#runtime/features/transforms/yaml_to_json.ts";
import type { Act } from "#runtime/run/run.ts";

test("others may have a turn before each short text of YAML", async () => {
  let asked = 0;
  const monotonic = (): number => {
    asked += 1;
    return 0;
  };
  const act = { run: { host: { monotonic } }, signal: new AbortController().signal } as unknown as Act; // short texts need no thread
  const texts = Array.from({ length: 300 }, (_, i) => `n: ${i}`);
  const read = await yaml_to_json({ t: texts }, prepare("$.t[*]"), act);
  expect(read).toEqual({ t: texts.map((_, i) => ({ n: i })) });
  expect(asked).toBeGreaterThanOrEqual(300);
});
