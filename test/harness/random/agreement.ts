import fc from "fast-check";
import { expect, test } from "vitest";
import { stringify } from "yaml";
import type { Config } from "#runtime/run/interface.ts";
import type { Json } from "#runtime/value/json.ts";
import { planned, printOne } from "../compile.ts";
import { echoHost } from "../echo-host.ts";
import { evaluate } from "../evaluate.ts";
import { frozen } from "../frozen.ts";
import { draws, seed } from "../rules/words.ts";
import { type Once, runOnce } from "../run-once.ts";
import { palette, randomConfig } from "./config.ts";
import { body } from "./markers.ts";

/** Number of configs that each half of the law draws. */
const configs = draws(2_500);

/**
 * Registers the law: random configs answer random requests alike, printed and walked, with the same effects in the same order, and no run
 * logs `critical`, which would be a bug of ours. Two files call it, each with a half of the draws, so that two cores share the longest test
 * of all. The halves draw the config and the requests in another order, so that one seed gives each of them other configs.
 */
export function randomConfigsAgree(first: "config" | "requests"): void {
  test(
    `${configs} random configs, ${first} first, seed ${seed}`,
    async () => {
      const config = randomConfig(await palette());
      const requests = fc.array(body(), { minLength: 2, maxLength: 3 });
      const drawn: fc.Arbitrary<Drawn> = first === "config" ? fc.record({ config, requests }) : fc.record({ requests, config });
      await fc.assert(fc.asyncProperty(drawn, agree), { numRuns: configs });
    },
    120_000 + configs * 400,
  );
}

interface Drawn {
  readonly config: unknown;
  readonly requests: readonly Json[];
}

async function agree({ config, requests }: Drawn): Promise<void> {
  const text = stringify(config, { lineWidth: 0, aliasDuplicateObjects: false });
  const plan = planned(text);
  const printed = await evaluate((await printOne(plan)).code);
  const walked = await evaluate((await printOne(plan, { interpret: true })).code);
  for (const request of requests) {
    const sent = frozen(request);
    const [one, other] = [await shown(printed, sent), await shown(walked, sent)];
    expect(one, text).toEqual(other);
    const bugs = one.log.filter((line) => line.startsWith("critical"));
    expect(bugs, text).toEqual([]);
  }
}

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
