import { describe, expect, test } from "vitest";
import { Egress } from "#runtime/outgoing/egress.ts";
import { createHost } from "#runtime/process/host.ts";
import { readSettings } from "#runtime/process/settings/options.ts";
import { planned } from "../harness/compile.ts";

// The addresses that are inside, and the calls of a module that are checked.

describe("ranges", () => {
  const egress = (vars: Record<string, string> = {}): Egress => new Egress(createHost({ env: vars }));

  test.each([
    ...["0.0.0.0", "0.1.2.3", "10.0.0.1", "100.64.0.1", "100.100.100.200", "127.0.0.1", "127.255.255.254", "168.63.129.16"],
    ...["169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.192", "192.168.1.1", "198.18.0.1", "224.0.0.1", "239.1.1.1"],
    ...["240.0.0.1", "255.255.255.255", "::", "::1", "::7f00:1", "::ffff:127.0.0.1", "::ffff:a9fe:a9fe", "::ffff:0:127.0.0.1"],
    ...[
      "64:ff9b::127.0.0.1",
      "64:ff9b::a9fe:a9fe",
      "64:ff9b:1::1",
      "2002:7f00:1::",
      "2002:a9fe:a9fe::1",
      "2001:0:0a00:1::",
      "2001:0:1:1::80ff:fffe",
    ],
    ...[
      "2a00::5efe:10.0.0.1",
      "2a00::200:5efe:10.0.0.1",
      "fc00::1",
      "fd00:ec2::254",
      "fe80::1",
      "fe80::1%eth0",
      "fec0::1",
      "ff02::1",
      "100::1",
    ],
    ...["localhost", "", "127.1", "0x7f.0.0.1"],
  ])("%s is closed", (address) => {
    expect(egress().isOpen(address)).toBe(false);
  });

  test.each([
    "1.1.1.1",
    "8.8.8.8",
    "93.184.215.14",
    "172.32.0.1",
    "100.128.0.1",
    "::ffff:8.8.8.8",
    "64:ff9b::8.8.8.8",
    "2002:808:808::1",
    "2606:4700::1111",
  ])("%s is open", (address) => {
    expect(egress().isOpen(address)).toBe(true);
  });

  test("an operator opens and closes ranges, also those inside of others; what is closed stays closed", () => {
    const own = egress({ PIPEWRIGHT_EGRESS_ALLOW: "10.0.0.0/8, fd00::/8", PIPEWRIGHT_EGRESS_DENY: "10.1.0.0/16 8.8.8.8" });
    const all = [
      "10.2.0.1",
      "::ffff:10.2.0.1",
      "64:ff9b::10.2.0.1",
      "fd00::1",
      "10.1.0.1",
      "::ffff:10.1.0.1",
      "8.8.8.8",
      "64:ff9b::8.8.8.8",
      "127.0.0.1",
    ];
    expect(all.map((address) => own.isOpen(address))).toEqual([true, true, true, true, false, false, false, false, false]);
  });

  test.each(["10.0.0.0/40", "inside", "10.0.0.0/8;127.0.0.1", "127.1"])("%s is no range: nothing starts", async (text) => {
    for (const name of ["PIPEWRIGHT_EGRESS_ALLOW", "PIPEWRIGHT_EGRESS_DENY"]) {
      const { unmet } = await readSettings({}, { [name]: text });
      expect(unmet).toEqual([expect.stringMatching(new RegExp(`^${name}: '.*' is no address or range, such as 10.0.0.0/8$`))]);
    }
  });
});

test("the module says what is checked, and only that", () => {
  const text = `
name: t
interfaces:
  t:
    method: POST
    actions:
      - { name: Own, http: { url: "https://api.example.com/a|body::x|" } }
      - { name: Given, http: { url: "https://a|body::tenant|.example.com/", proxy: "a|Own::body.proxy|" } }
      - { name: Group, http: { url: "http://[::a|body::x|]:8080/" } }
      - { name: Port, http: { url: "http://[2001:db8::1]:a|body::port|/" } }
      - { name: Password, http: { url: "http://shop:a|body::pass|@api.example.com:8080/" } }
`;
  const [plan] = planned(text).plans;
  const marked = plan?.interfaces[0]?.actions.map(
    ({ ops }) => JSON.stringify(ops).match(/\["from_data",\{"op":"lit","value":(\[[^\]]*\])/)?.[1],
  );
  expect(marked).toEqual([undefined, '["url","proxy"]', '["url"]', undefined, undefined]);
});
