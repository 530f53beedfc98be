import { describe, expect, test } from "vitest";
import { createHost } from "#runtime/process/host.ts";
import type { Config } from "#runtime/run/interface.ts";
import { planned, printOne } from "../../harness/compile.ts";
import { evaluate } from "../../harness/evaluate.ts";
import { runOnce } from "../../harness/run-once.ts";

// Answers of which a short request makes a hundred million characters (spec/surfaces 1).

const yaml = `name: c
interfaces:
  notes:
    method: POST
    actions:
      - name: Each
        lookup: a|body::items|
        lookup_inherit: { note: a|body::note| }
        actions:
          - { name: One, input: a|body| }
  own:
    method: POST
    actions:
      - name: Each
        lookup: a|body::items|
        lookup_inherit: { note: a|body::note| }
        actions:
          - { name: One, input: a|body| }
    response: { custom_body: a|Each| }
`;

const body = (count: number) => ({ items: Array.from({ length: count }, (_, i) => i), note: "n".repeat(1_000_000) });

describe.each([false, true])("interpreted: %s", (interpret) => {
  const config = async (): Promise<Config> => evaluate((await printOne(planned(yaml), { interpret })).code);

  test.each(["notes", "own"])("an answer of %s over the limit is a failed response", async (name) => {
    const logged: string[] = [];
    const host = createHost({ env: {}, log: (level, msg) => void logged.push(`${level} ${msg}`) });
    const { reply } = await runOnce(await config(), name, { body: body(140) }, host);
    expect([reply.status, reply.body]).toEqual([500, '{"error":"response failed"}']);
    expect(logged).toEqual(["error PW909 answer is over the limit of 134217728 characters"]);
    await host.close();
  });

  test.each(["notes", "own"])("a large answer of %s is written whole", async (name) => {
    const host = createHost({ env: {} });
    const { reply } = await runOnce(await config(), name, { body: body(3) }, host);
    expect(reply.status).toBe(200);
    expect(reply.body.length).toBeGreaterThan(3_000_000);
    expect(JSON.stringify(JSON.parse(reply.body)) === reply.body).toBe(true);
    await host.close();
  });
});
