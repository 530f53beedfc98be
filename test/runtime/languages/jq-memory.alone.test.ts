import { expect, test } from "vitest";
import { jqWork } from "#runtime/threads/kinds/jq.ts";

test.each([
  ["[range(1e8)] | length", "jq: needed more than 256 MiB of memory"],
  ["reduce range(100000) as $i (1; [.])", "jq: value is nested too deeply"],
])("jq says what has ended it: %s", async (filter, message) => {
  await expect(jqWork({ filter, input: "1" })).rejects.toMatchObject({ kind: "evaluation", message });
  // Afterwards jq answers again.
  expect(await jqWork({ filter: ".", input: "1" })).toBe("1");
});
