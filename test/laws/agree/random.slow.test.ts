import fc from "fast-check";
import { expect, test } from "vitest";
import { stringify } from "yaml";
import type { Config } from "#runtime/run/interface.ts";
import type { Json } from "#runtime/value/json.ts";
import { planned, printOne } from "../../harness/compile.ts";
import { echoHost } from "../../harness/echo-host.ts";
import { evaluate } from "../../harness/evaluate.ts";
import { frozen } from "../../harness/frozen.ts";
import { palette, randomConfig } from "../../harness/random/config.ts";
import { body } from "../../harness/random/markers.ts";
import { draws, seed } from "../../harness/rules/words.ts";
import { type Once, runOnce } from "../../harness/run-once.ts";

// Random configs answer random requests alike, printed and walked, with the same effects in the same order, and nothing in them is a bug of
// ours.

const configs = draws(5_000);

test(
  `${configs} random configs, seed ${seed}`,
  async () => {
    const written = randomConfig(await palette());
    const bodies = fc.array(body(), { minLength: 2, maxLength: 3 });
    const property = fc.asyncProperty(written, bodies, async (config, requests) => {
      const text = stringify(config, { lineWidth: 0, aliasDuplicateObjects: false });
      const plan = planned(text);
      const printed = await evaluate((await printOne(plan)).code);
      const walked = await evaluate((await printOne(plan, { interpret: true })).code);
      for (const request of requests) {
        const sent = frozen(request);
        const [one, other] = [await shown(printed, sent), await shown(walked, sent)];
        expect(one, text).toEqual(other);
        expect(
          one.log.filter((line) => line.startsWith("critical")),
          text,
        ).toEqual([]);
      }
    });
    await fc.assert(property, { numRuns: configs });
  },
  120_000 + configs * 400,
);

/** The answer of a run, and its effects: lines of the log and calls of upstreams. */
interface Shown extends Once {
  readonly log: readonly string[];
  readonly called: readonly string[];
}

async function shown(config: Config, sent: Json): Promise<Shown> {
  const log: string[] = [];
  const host = echoHost({
    clock: Date.UTC(2024, 1, 29),
    env: { E: "north" },
    variables: { M: { a: ["managed"] } },
    log: (level, msg, fields) => log.push(`${level} ${msg} ${JSON.stringify(fields)}`),
  });
  const request = { body: sent, raw_body: JSON.stringify(sent), params: { p: "1" }, headers: { "x-h": "h" }, ip: { client: "::1" } };
  try {
    return { ...(await runOnce(config, "run", request, host)), log, called: host.called };
  } finally {
    await host.close();
  }
}
