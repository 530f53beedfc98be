import { expect, test } from "vitest";
import { planned, printOne } from "../../harness/compile.ts";

// A config may have 250,000 lines, and its module is printed however long it is. Passed as the arguments of one call, the lines did not fit
// on the stack.

const count = 20_000;

const text = `name: Large
interfaces:
  large:
    method: POST
    actions:
      - name: A
        json_output:
${Array.from({ length: count }, (_, i) => `          k${i}: a|body::k${i}|\n`).join("")}`;

test.each([false, true])(
  "interpreted: %s",
  async (interpret) => {
    const { code } = await printOne(planned(text), { interpret });
    expect(code).toContain(`k${count - 1}`);
  },
  60_000,
);
