import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { JsonObject } from "#runtime/value/json.ts";
import { planTexts } from "../../compiler/pipeline.ts";
import { mmdb } from "../harness/mmdb.ts";
import { type Got, send } from "../harness/sockets.ts";
import { packFolder, packTexts } from "./packs.ts";
import { type Service, serving, ways } from "./played/serving.ts";

// The packs about network policies: they compile, and every call of their READMEs gives what it promises, on both ways.

const folder = mkdtempSync(join(tmpdir(), "pipewright-pack-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const [firewall, limited] = ["network-firewall-access-control", "rate-limited-api"] as const;

test.each([firewall, limited].filter((pack) => packFolder(pack) !== undefined))("%s: nothing is unsupported", (pack) => {
  const { diagnostics } = planTexts(packTexts(pack));
  expect(diagnostics.filter(({ severity }) => severity === "error").map(({ code, message }) => `${code} ${message}`)).toEqual([]);
});

describe.skipIf(packFolder(firewall) === undefined)(firewall, () => {
  describe.each(ways)("%s", (way) => {
    let service: Service;
    beforeAll(async () => {
      // Files of countries and networks, without any address that the README names: the pack runs without a provider, which an enforcing
      // policy may not (spec/surfaces 9).
      const [geo, asn] = [join(folder, "geo.mmdb"), join(folder, "asn.mmdb")];
      writeFileSync(geo, mmdb({ "203.0.113.64/26": { country: { iso_code: "IR" } } }));
      writeFileSync(asn, mmdb({ "203.0.113.128/26": { autonomous_system_number: 13335 } }));
      service = await serving(packTexts(firewall), way, { env: { PIPEWRIGHT_GEO_MMDB: geo, PIPEWRIGHT_ASN_MMDB: asn } });
    });
    afterAll(async () => {
      await service?.close();
    });

    const get = (path: string, forwarded: string): Promise<Got> => send(service.url, path, { headers: { "x-forwarded-for": forwarded } });
    const data = ({ text }: Got): JsonObject => (Object.values(JSON.parse(text).data)[0] as { data: JsonObject }).data;

    test.each<[string, string, number]>([
      ["/whoami", "198.51.100.42", 200],
      ["/whoami", "198.51.100.42, 203.0.113.5", 403],
      ["/admin/dashboard", "192.0.2.10", 200],
      ["/admin/dashboard", "198.51.100.5", 403],
      ["/secure/origin", "198.51.100.7, 10.0.0.1", 200],
      ["/secure/origin", "198.51.100.7, 203.0.113.50, 10.0.0.1", 403],
      ["/restricted/region", "198.51.100.31", 200],
      ["/restricted/region", "203.0.113.65", 403],
      ["/restricted/region", "203.0.113.130", 403],
      ["/monitor/canary", "203.0.113.9", 200],
      ["/health", "203.0.113.5", 200],
    ])("GET %s from %s: %i", async (path, forwarded, status) => {
      expect((await get(path, forwarded)).status).toBe(status);
    });

    test("shows what the firewall sees", async () => {
      expect(data(await get("/whoami", "198.51.100.42"))).toEqual({
        client: "198.51.100.42",
        socket: "127.0.0.1",
        forwarded_chain: ["198.51.100.42"],
        real_ip: null,
        country: null,
        asn: null,
        message: "This is what the Air Pipe firewall sees.",
      });
    });

    test("answers who is blocked with the words of the configuration", async () => {
      const { text, headers } = await get("/whoami", "203.0.113.5");
      expect([headers["content-type"], text]).toEqual([
        "application/json",
        '{"error":"forbidden","message":"Request blocked by the Air Pipe network firewall."}',
      ]);
    });

    test("the sixth request within a minute is throttled", async () => {
      const ask = (): Promise<Got> =>
        send(service.url, "/api/echo", {
          method: "POST",
          headers: { "content-type": "application/json", "x-forwarded-for": "198.51.100.20" },
          body: '{"hello":"world"}',
        });
      for (let i = 0; i < 5; i++) expect(data(await ask())).toEqual({ hello: "world", client_ip: "198.51.100.20", echoed: true });
      const { status, headers, text } = await ask();
      expect([status, headers["retry-after"], text]).toEqual([
        429,
        "60",
        '{"error":"rate_limited","message":"Too many requests. Slow down and try again shortly."}',
      ]);
    });

    test("monitor mode logs what it would have blocked", async () => {
      await get("/monitor/canary", "203.0.113.9");
      expect(service.log).toContain(
        'warn network_policy {"rule":"ip.allow","scope":"interface","source":"203.0.113.9","interface":"monitor/canary","config":"NetworkFirewall"}',
      );
    });
  });
});

describe.skipIf(packFolder(limited) === undefined)(limited, () => {
  test.each(ways)("%s: ten requests in a minute, and no more", async (way) => {
    const service = await serving(packTexts(limited), way);
    for (let i = 0; i < 10; i++) {
      const { status, text } = await send(service.url, "/public/quote");
      expect([status, JSON.parse(text).data.Respond.data]).toEqual([200, { quote: "Stay hungry, stay foolish." }]);
    }
    const { status, text, headers } = await send(service.url, "/public/quote");
    expect([status, JSON.parse(text).error, headers["retry-after"]]).toEqual([429, "rate_limited", expect.stringMatching(/^(?:60|59)$/)]);
    await service.close();
  });
});
