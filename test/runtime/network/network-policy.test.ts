import { mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { networkCounts as counts } from "#runtime/network/counts.ts";
import { networkPlaces as places } from "#runtime/network/places.ts";
import { type PolicySpec, networkPolicy as policy } from "#runtime/network/policy.ts";
import { networkRules as rules } from "#runtime/network/rules.ts";
import type { RulesPlan } from "#runtime/plan/index.ts";
import { createHost, type Host } from "#runtime/process/host.ts";
import { serve } from "#runtime/process/server.ts";
import type { Unmet } from "#runtime/process/unmet.ts";
import type { JsonObject } from "#runtime/value/json.ts";
import { mmdb } from "../../harness/mmdb.ts";
import { configOf, served } from "../../harness/sockets.ts";
import { until } from "../../harness/until.ts";

// The decisions of a policy, rule by rule (spec/surfaces 9).

const folder = mkdtempSync(join(tmpdir(), "pipewright-places-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function file(name: string, content: Buffer | string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

const geo = file(
  "geo.mmdb",
  mmdb({
    "192.0.2.0/25": { country: { iso_code: "KP" }, registered_country: { iso_code: "DE" } },
    "192.0.2.128/25": { registered_country: { iso_code: "de" } },
    "2001:db8::/32": { country: { iso_code: "FR" } },
    "10.0.0.0/8": { country: { iso_code: "FR" } },
  }),
);
const asn = file(
  "asn.mmdb",
  mmdb({ "192.0.2.0/24": { autonomous_system_number: 64496 }, "198.51.100.0/24": { autonomous_system_number: 64511 } }),
);

const hosts: Host[] = [];
afterEach(async () => {
  await Promise.all(hosts.splice(0).map((host) => host.close()));
});

interface World {
  readonly host: Host;
  readonly log: (readonly [string, string, unknown])[];
}

function world(env: Readonly<Record<string, string>> = { PIPEWRIGHT_GEO_MMDB: geo, PIPEWRIGHT_ASN_MMDB: asn }, now = () => 0): World {
  const log: World["log"] = [];
  const host = { ...createHost({ env, log: (level, msg, fields) => log.push([level, msg, fields]) }), monotonic: now };
  hosts.push(host);
  return { host, log };
}

/** True when a caller from this address comes in. */
function admits(spec: PolicySpec, from: string, { host } = world()): boolean {
  return (
    policy(spec).judge({ headers: { "x-forwarded-for": from }, peer: "127.0.0.1" }, { host, config: "c", interface: "i" }) === undefined
  );
}

const own = (plan: RulesPlan, more: PolicySpec = {}): PolicySpec => ({ interface: rules(plan), counts, places, ...more });

describe("countries and networks", () => {
  test.each<[string, RulesPlan, string, boolean]>([
    ["a denied country", { geo: { deny: ["KP"] } }, "192.0.2.1", false],
    ["the country before the registered one", { geo: { deny: ["DE"] } }, "192.0.2.1", true],
    ["the registered country where there is no other, in upper case", { geo: { deny: ["DE"] } }, "192.0.2.200", false],
    ["an allowed country", { geo: { allow: ["FR"] } }, "2001:db8::1", true],
    ["a country that is not allowed", { geo: { allow: ["FR"] } }, "192.0.2.1", false],
    ["an empty list", { geo: { allow: [] } }, "192.0.2.1", false],
    ["an address that no file knows", { geo: { allow: ["FR"], deny: ["KP"] } }, "203.0.113.1", true],
    ["one that must be known", { geo: { deny: ["KP"], require_resolution: true } }, "203.0.113.1", false],
    ["a private address is not known, whatever the file says", { geo: { deny: ["FR"] } }, "10.0.0.1", true],
    ["a denied network", { asn: { deny: [64496] } }, "192.0.2.1", false],
    ["another network", { asn: { deny: [64496] } }, "198.51.100.1", true],
    ["an allowed network", { asn: { allow: [64511] } }, "198.51.100.1", true],
    ["a network that is not allowed", { asn: { allow: [64511] } }, "192.0.2.1", false],
    ["an address of no network that must have one", { asn: { allow: [64511], require_resolution: true } }, "203.0.113.1", false],
    ["no address, where one must be placed", { asn: { require_resolution: true } }, "unknown", false],
    ["no address, where nothing depends on it", { asn: { deny: [64496] } }, "unknown", true],
  ])("%s", (_, plan, from, admitted) => {
    expect(admits(own(plan), from)).toBe(admitted);
  });

  test("the root ip has the country and the network of the client", () => {
    const ask = (spec: PolicySpec, from: string): JsonObject =>
      policy(spec).ip({ headers: { "x-forwarded-for": from }, peer: "127.0.0.1" }, world().host);
    expect(ask({ places }, "192.0.2.1")).toMatchObject({ client: "192.0.2.1", country: "KP", asn: 64496 });
    expect(ask({ places }, "unknown")).toMatchObject({ client: "unknown", country: null, asn: null });
    expect(ask({}, "192.0.2.1")).toMatchObject({ country: null, asn: null });
  });
});

describe("the order of rules", () => {
  const level = (deny: number): RulesPlan => ({
    ip: { deny: ["203.0.113.0/24"], allow: ["198.51.100.0/24"] },
    geo: { deny: ["KP"], allow: ["FR"] },
    asn: { deny: [deny], allow: [64511] },
    rate_limit: { requests: 1, window: 1_000 },
  });

  test("a monitor tells every match of every level in order, and counts as if it would block", () => {
    const { host, log } = world();
    const spec: PolicySpec = { mode: "monitor", config: rules(level(64496)), interface: rules(level(1)), counts, places };
    const judge = policy(spec).judge;
    for (let i = 0; i < 2; i++)
      expect(
        judge({ headers: { "x-forwarded-for": "192.0.2.1" }, peer: undefined }, { host, config: "c", interface: "i" }),
      ).toBeUndefined();
    const told = log.map(([level, msg, fields]) => [level, msg, ...Object.values(fields as JsonObject)].join(" "));
    const match = (rule: string, at: string): string => `warn network_policy ${rule} ${at} 192.0.2.1 i c`;
    const both = (at: string, rest: string[]): string[] =>
      ["geo.deny", ...rest, "ip.allow", "geo.allow", "asn.allow"].map((rule) => match(rule, at));
    const first = [...both("config", ["asn.deny"]), ...both("interface", [])];
    expect(told.slice(0, first.length)).toEqual(first);
    const second = [
      ...both("config", ["asn.deny"]),
      match("rate_limit", "config"),
      ...both("interface", []),
      match("rate_limit", "interface"),
    ];
    expect(told.slice(first.length)).toEqual(second);
  });

  test("the limit of the configuration comes before the lists of the interface, and counts all its interfaces together", () => {
    const { host } = world();
    const spec: PolicySpec = {
      config: rules({ rate_limit: { requests: 1, window: 1_000 } }),
      interface: rules({ ip: { deny: ["192.0.2.2"] } }),
      counts,
    };
    const ask = (from: string, name: string) =>
      policy(spec).judge({ headers: { "x-forwarded-for": from }, peer: undefined }, { host, config: "c", interface: name });
    expect(ask("192.0.2.1", "a")).toBeUndefined();
    expect(ask("192.0.2.1", "b")?.headers["retry-after"]).toBe("1");
    // A caller that another rule turns away is not counted.
    expect(ask("192.0.2.2", "a")?.headers["retry-after"]).toBeUndefined();
    expect(ask("192.0.2.2", "a")?.headers["retry-after"]).toBeUndefined();
  });

  test("who is turned away on one level is counted on none", () => {
    const { host } = world();
    const limit = (requests: number) => rules({ rate_limit: { requests, window: 60_000 } });
    const ask = (spec: PolicySpec) => policy(spec).judge({ headers: {}, peer: "192.0.2.1" }, { host, config: "c", interface: "i" });
    const tight: PolicySpec = { config: limit(3), interface: limit(1), counts };
    expect([ask(tight), ask(tight)?.status, ask(tight)?.status]).toEqual([undefined, 403, 403]);
    expect([ask({ config: limit(3), counts }), ask({ config: limit(3), counts }), ask({ config: limit(3), counts })?.status]).toEqual([
      undefined,
      undefined,
      403,
    ]);
  });

  test("a header of the author wins over retry-after", () => {
    const { host } = world();
    const spec = own({ rate_limit: { requests: 1, window: 5_500 } }, { on_deny: { headers: { "retry-after": "9" } } });
    const ask = (one: PolicySpec) => policy(one).judge({ headers: {}, peer: "192.0.2.1" }, { host, config: "c", interface: "i" });
    ask(spec);
    expect(ask(spec)?.headers).toEqual({ "content-type": "application/json", "retry-after": "9" });
    expect(ask(own({ rate_limit: { requests: 1, window: 5_500 } }))?.headers["retry-after"]).toBe("6");
  });
});

describe("a file of places", () => {
  test("is read again when it has changed; while it cannot be read the old data stay, and a warning says so", async () => {
    let now = 0;
    const path = file("changing.mmdb", mmdb({ "192.0.2.0/24": { country: { iso_code: "KP" } } }));
    const { host, log } = world({ PIPEWRIGHT_GEO_MMDB: path }, () => now);
    const spec = own({ geo: { deny: ["KP"] } });
    const denied = (): boolean => !admits(spec, "192.0.2.1", { host, log });
    const change = (content: Buffer | string, time: number): void => {
      file("changing.mmdb", content);
      utimesSync(path, time, time);
      now += 6_000;
      denied();
    };
    const of = (iso_code: string): Buffer => mmdb({ "192.0.2.0/24": { country: { iso_code } } });
    expect(denied()).toBe(true);
    change(of("FR"), 1_000);
    await until(() => expect(denied()).toBe(false));
    change("no mmdb", 2_000);
    const warning = expect.stringMatching(/^warn network: PIPEWRIGHT_GEO_MMDB: '.*changing.mmdb' cannot be read: /);
    await until(() => expect(log.map(([level, msg]) => `${level} ${msg}`)).toEqual([warning]));
    expect(denied()).toBe(false);
    change(of("KP"), 3_000);
    await until(() => expect(denied()).toBe(true));
    rmSync(path);
    now += 6_000;
    expect([denied(), denied()]).toEqual([true, true]);
  });

  test("that breaks off inside leaves an address unknown, and takes nothing down", () => {
    const whole = mmdb({ "192.0.2.0/24": { country: { iso_code: "KP" } } });
    const marker = whole.indexOf("\xab\xcd\xefMaxMind.com", 0, "latin1");
    // The tree leads to data that are not there.
    const broken = Buffer.concat([whole.subarray(0, marker - 20), whole.subarray(marker)]);
    const { host, log } = world({ PIPEWRIGHT_GEO_MMDB: file("broken.mmdb", broken) });
    const required = own({ geo: { deny: ["FR"], require_resolution: true } });
    expect(admits(required, "192.0.2.1", { host, log })).toBe(false);
  });
});

describe("at start", () => {
  async function start(
    spec: PolicySpec,
    env: Readonly<Record<string, string>> = {},
  ): Promise<{ needs: readonly string[]; warned: readonly string[] }> {
    const warned: string[] = [];
    const log = (level: string, msg: string): void => void (level === "warn" && warned.push(msg));
    const config = configOf({ ...served("GET", "/a", () => 1), network: policy(spec) });
    const options = { address: "127.0.0.1", port: 0, noticeMs: 0, env, log };
    const made = await serve([config], options).catch((thrown: Unmet) => thrown);
    if ("close" in made) await made.close();
    return { needs: "needs" in made ? made.needs : [], warned };
  }

  test.each<[string, PolicySpec, readonly string[]]>([
    [
      "an allow list",
      own({ ip: { allow: ["192.0.2.1"] } }),
      ["network: a caller can forge x-forwarded-for, which decides ip.allow: set trusted_proxies, or source: socket"],
    ],
    [
      "a limit",
      own({ rate_limit: { requests: 1, window: 1_000 } }, { source: "real_ip" }),
      ["network: a caller can forge x-real-ip, which decides rate_limit: set trusted_proxies, or source: socket"],
    ],
    [
      "a list of denied addresses",
      own({ ip: { deny: ["192.0.2.1"] } }),
      ["network: a caller can forge x-forwarded-for, which decides ip.deny: set trusted_proxies, or source: socket"],
    ],
    ["a list of denied addresses that every hop is held against", own({ ip: { deny: ["192.0.2.1"], deny_check: "all" } }), []],
    [
      "lists of denied places",
      own({ geo: { deny: ["KP"] }, asn: { deny: [1] } }),
      ["network: a caller can forge x-forwarded-for, which decides geo.deny, asn.deny: set trusted_proxies, or source: socket"],
    ],
    [
      "lists of both levels",
      { ...own({ ip: { allow: ["192.0.2.1"] } }), config: rules({ ip: { allow: ["192.0.2.0/24"] } }) },
      ["network: a caller can forge x-forwarded-for, which decides ip.allow: set trusted_proxies, or source: socket"],
    ],
    ["a list of denied addresses over the socket", own({ ip: { deny: ["192.0.2.1"] } }, { source: "socket" }), []],
    ["denied addresses behind trusted proxies", own({ ip: { deny: ["192.0.2.1"] } }, { trusted_proxies: ["10.0.0.0/8"] }), []],
    ["trusted proxies", own({ ip: { allow: ["192.0.2.1"] } }, { trusted_proxies: ["10.0.0.0/8"] }), []],
    ["the socket", own({ ip: { allow: ["192.0.2.1"] } }, { source: "socket" }), []],
  ])("%s is warned of when it rests on what a caller can forge", async (_, spec, expected) => {
    expect(await start(spec, { PIPEWRIGHT_GEO_MMDB: geo, PIPEWRIGHT_ASN_MMDB: asn })).toEqual({ needs: [], warned: expected });
  });

  test("the network of a configuration is warned of once, not for each interface", async () => {
    const warned: unknown[] = [];
    const log = (level: string, msg: string, fields?: unknown): void => void (level === "warn" && warned.push([msg, fields]));
    const network = policy({ config: rules({ ip: { allow: ["192.0.2.1"] } }), counts, places });
    const config = configOf({ ...served("GET", "/a", () => 1), network }, { ...served("GET", "/b", () => 1), name: "b", network });
    const made = await serve([config], { address: "127.0.0.1", port: 0, noticeMs: 0, env: {}, log });
    await made.close();
    expect(warned).toEqual([[expect.stringContaining("which decides ip.allow"), { config: "t" }]]);
  });

  test("rules about places need their file", async () => {
    const spec = own({ geo: { deny: ["KP"] }, asn: { deny: [1] } });
    expect((await start(spec)).needs).toEqual([
      "PIPEWRIGHT_GEO_MMDB is not set (network.geo of t/a)",
      "PIPEWRIGHT_ASN_MMDB is not set (network.asn of t/a)",
    ]);
    expect((await start(spec, { PIPEWRIGHT_GEO_MMDB: geo, PIPEWRIGHT_ASN_MMDB: file("bad.mmdb", "x") })).needs).toEqual([
      expect.stringMatching(/^PIPEWRIGHT_ASN_MMDB: '.*bad.mmdb' cannot be read: .* \(network\.asn of t\/a\)$/),
    ]);
    expect((await start(spec, { PIPEWRIGHT_GEO_MMDB: geo, PIPEWRIGHT_ASN_MMDB: asn })).needs).toEqual([]);
  });

  test("a file that is named has to be there, also for a monitor and for markers", async () => {
    const env = { PIPEWRIGHT_GEO_MMDB: "/nowhere.mmdb" };
    const problem = "PIPEWRIGHT_GEO_MMDB: '/nowhere.mmdb' cannot be read: ENOENT: no such file or directory, stat '/nowhere.mmdb'";
    expect(await start(own({ geo: { deny: ["KP"] } }, { mode: "monitor", source: "socket" }), env)).toEqual({
      needs: [`${problem} (network.geo of t/a)`],
      warned: [],
    });
    expect(await start({ places }, env)).toEqual({ needs: [`${problem} (a|ip::country| of t/a)`], warned: [] });
    expect(await start({ places }, {})).toEqual({ needs: [], warned: [] });
  });

  test("a monitor without file only warns", async () => {
    expect(await start(own({ geo: { deny: ["KP"] } }, { mode: "monitor", source: "socket" }))).toEqual({
      needs: [],
      warned: ["network: PIPEWRIGHT_GEO_MMDB is not set (network.geo of t/a)"],
    });
  });
});
