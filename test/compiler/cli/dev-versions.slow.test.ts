import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterAll, describe, expect, test } from "vitest";
import { type Live, loadLive } from "../../../compiler/7-link/live.ts";
import type { LiveVersion } from "../../../compiler/7-link/live-version.ts";
import { planTexts, printAll } from "../../../compiler/pipeline.ts";
import { send } from "../../harness/sockets.ts";
import { until } from "../../harness/until.ts";

// `pipewright dev` replaces versions: none that is over stays in memory (spec/surfaces 16).

const folder = mkdtempSync(join(tmpdir(), "pipewright-test-"));

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("versions", () => {
  const collect = (): void => {
    setFlagsFromString("--expose-gc");
    (runInNewContext("gc") as () => void)();
  };

  const text = (n: number): string =>
    `name: t
interfaces:
  a: { method: GET, actions: [{ name: A, json_output: ${n} }] }
  wait: { method: GET, actions: [{ name: W, delay: 1s }, { name: N, json_output: ${n} }] }
  tick: { schedule: { cron: "0 0 1 1 *", enabled: true }, actions: [{ name: A, json_output: ${n} }] }
`;

  const version = async (live: Live, n: number): Promise<LiveVersion> =>
    live.evaluate(await printAll(planTexts([{ file: "t.yaml", text: text(n) }])), undefined);

  test("a hundred of them leave nothing behind, and the port stays open", async () => {
    const live = await loadLive(folder);
    const served = await live.serve([], { address: "127.0.0.1", port: 0, noticeMs: 0, env: {}, log: () => undefined });
    const gone: WeakRef<object>[] = [];
    const take = async (n: number): Promise<void> => {
      const { configs, docs } = await version(live, n);
      // The function of the module itself: each version lists the configs anew.
      gone.push(new WeakRef(configs[0]?.interfaces[0]?.run ?? {}));
      expect(await served.replace(configs, docs)).toEqual([]);
      expect((await send(served.url, "/a", { agent: false })).text).toContain(`"data":${n},`);
    };
    await take(0);
    const before = process.getActiveResourcesInfo().length;
    const waiting = send(served.url, "/wait", { agent: false });
    for (let n = 1; n <= 100; n++) await take(n);
    expect((await waiting).text).toMatch(/"N":\{"data":\d+,/);
    await until(() => {
      collect();
      expect(gone.filter((each) => each.deref() !== undefined).length).toBeLessThanOrEqual(2);
    });
    expect(process.getActiveResourcesInfo().length).toBeLessThanOrEqual(before + 2);
    await served.close();
  });

  test("a module that has not changed is the one of the version before, and one that has changed is another one", async () => {
    const live = await loadLive(folder);
    const runs = async (...numbers: readonly number[]): Promise<readonly unknown[]> => {
      const texts = numbers.map((n, i) => ({
        file: `${i}.yaml`,
        text: text(n)
          .replace("name: t", `name: t${i}`)
          .replace(/^ {2}(\w+):/gm, `  $1${i}:`),
      }));
      const { configs } = await live.evaluate(await printAll(planTexts(texts)), undefined);
      return configs.map(({ interfaces }) => interfaces[0]?.run);
    };
    const [one, two] = await runs(1, 1);
    const [same, other] = await runs(1, 2);
    expect(same).toBe(one);
    expect(other).not.toBe(two);
    const [, back] = await runs(1, 1);
    expect(back).not.toBe(two);
  });

  test("threads run, whose code is made when it is needed", async () => {
    const live = await loadLive(folder);
    const served = await live.serve([], { address: "127.0.0.1", port: 0, noticeMs: 0, env: {}, log: () => undefined });
    const config = `name: t
interfaces:
  hash:
    method: GET
    actions: [{ name: H, json_output: { p: x }, post_transforms: [{ bcrypt: { value: p, key: h, cost: 4 } }] }]
`;
    const { configs } = await live.evaluate(await printAll(planTexts([{ file: "t.yaml", text: config }])), undefined);
    await served.replace(configs, undefined);
    expect((await send(served.url, "/hash")).text).toContain("$2b$04$");
    await served.close();
  });
});
