import { describe, expect, test } from "vitest";
import { permitOf } from "#runtime/enforce/permit.ts";
import type { Capabilities } from "#runtime/plan/capabilities.ts";
import type { Touch } from "#runtime/plan/touch.ts";
import { createHost } from "#runtime/process/host.ts";
import type { Config } from "#runtime/run/interface.ts";
import { LiveRun } from "#runtime/run/live-run.ts";
import { nameOfText } from "../../../compiler/5-analyse/capabilities/names.ts";
import { emptyRequest } from "../../harness/run-once.ts";
import { processorMs } from "../../laws/block/yardstick.ts";

// Names of a manifest and hostile names that are held against them.

const config: Config = { name: "shop", interfaces: [], needs: { env: [], vars: [], secrets: [] } };
const host = createHost({ env: { STORE: "https://user:geheim@Store.Example:8443/a/b", EMPTY: "" }, variables: { REGION: "eu" } });
const run = new LiveRun(host, config, { name: "a", output: "none", run: () => undefined }, emptyRequest);

/** The refusal, or undefined where it is permitted. */
function refusal(capabilities: Capabilities, touch: Touch): string | undefined {
  try {
    permitOf(capabilities, "interface 'a'")(run, touch);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

const reaches = (name: string, url: string): boolean => {
  const { host: asked, protocol } = new URL(url);
  return refusal({ hosts: [{ name }] }, { kind: "hosts", name: asked, usualPort: protocol === "https:" ? 443 : 80 }) === undefined;
};

describe("hosts", () => {
  test.each([
    ["api.example", "https://API.Example/"],
    ["api.example", "http://api.example:80/"],
    ["api.example:443", "https://api.example/"],
    ["api.example", "https://user:pass@api.example/"],
    ["api.example", "https://%61pi.example/"],
    ["b\u00fccher.example", "https://xn--bcher-kva.example/"],
    ["xn--bcher-kva.example", "https://b\u00fccher.example/"],
    ["[::1]:8080", "http://[0:0:0:0:0:0:0:1]:8080/"],
    ["127.0.0.1", "http://0x7f.1/"],
    ["a|env::STORE|", "https://store.example:8443/other"],
    ["a|var::REGION|.example", "https://eu.example/"],
    ["*.example", "https://any.example/"],
  ])("%s lists %s", (name, url) => expect(reaches(name, url)).toBe(true));

  test.each([
    ["api.example", "https://api.example./"],
    ["api.example", "https://api.example.evil.example/"],
    ["api.example", "https://api.example@evil.example/"],
    ["api.example", "https://evil.example/api.example"],
    ["api.example", "https://evil.example#api.example"],
    ["api.example", "https://api.example:444/"],
    ["api.example:443", "http://api.example/"],
    ["api.example", "https://api\u3002example.evil.example/"],
    ["[::1]", "http://127.0.0.1/"],
    ["a|env::STORE|", "https://store.example/"],
    ["a|env::EMPTY|", "https://evil.example/"],
    ["a|env::UNSET|", "https://unset/"],
    ["*.example", "https://example/"],
    ["*.example", "https://evil.test/.example"],
    ["\\*.example", "https://any.example/"],
  ])("%s does not list %s", (name, url) => expect(reaches(name, url)).toBe(false));

  test("a host that data choose is bounded as it was reviewed", () => {
    const chosen: Capabilities = { hosts: [{ name: "*", from: "request", within: ["public"] }] };
    expect(refusal(chosen, { kind: "hosts", name: "any.example", fromData: true })).toBeUndefined();
    expect(refusal(chosen, { kind: "hosts", name: "any.example" })).toBe("manifest: host 'any.example' is not listed for interface 'a'");
    const few: Capabilities = { hosts: [{ name: "*", from: "request", within: ["*.shop.example", "one.example:81"] }] };
    for (const name of ["a.shop.example", "one.example:81"]) expect(refusal(few, { kind: "hosts", name })).toBeUndefined();
    for (const name of ["shop.example", "evilshop.example", "one.example", "evil.example"])
      expect(refusal(few, { kind: "hosts", name, fromData: true })).toBeDefined();
  });

  test("a refusal shows no password of an address", () => {
    for (const name of ["postgres://u:geheim@db.example/x", "mysql:///x?password=geheim", "Server=db;Password=geheim"])
      expect(refusal({}, { kind: "hosts", name })).not.toContain("geheim");
  });
});

describe("other names", () => {
  const lists = (listed: string, asked: string, kind: "state" | "channels" | "topics" | "mail_recipients" = "state"): boolean =>
    refusal({ [kind]: [{ name: listed }] }, { kind, name: asked }) === undefined;

  test.each([
    ["", "", true],
    ["key", "key", true],
    ["key", "Key", false],
    ["key", "key ", false],
    ["user-*", "user-", true],
    ["user-*-*", "user-a-b-c", true],
    ["user-*-x", "user-x", false],
    ["a*a", "a", false],
    ["*", "", true],
    ["\\*", "*", true],
    ["\\*", "x", false],
    ["\\\\*", "\\anything", true],
    ["__proto__", "__proto__", true],
    ["constructor", "toString", false],
  ])("%j and %j: %s", (listed, asked, expected) => expect(lists(listed, asked)).toBe(expected));

  test("a name that was written means itself, whatever it holds", () => {
    const texts = ["*", "\\", "\\*", "\\\\*", "a\\", "a*b\\", "\\n", "**", "a|b", "\\\\", "\\\\n"];
    for (const text of texts) {
      expect(lists(nameOfText(text), text), text).toBe(true);
      for (const other of texts) if (other !== text) expect(lists(nameOfText(text), other), `${text} and ${other}`).toBe(false);
      expect(lists(`${nameOfText(text)}*`, `${text}more`), text).toBe(true);
      expect(lists(`${nameOfText(text)}*`, "more"), text).toBe(false);
    }
  });

  test("a part of a level is one level", () => {
    expect(lists("room/*", "room/one", "channels")).toBe(true);
    expect(lists("room/*", "room/one/two", "channels")).toBe(false);
    expect(lists("room/*", "room:one", "channels")).toBe(false);
    expect(lists("*/news", "a/news", "channels")).toBe(true);
    expect(lists("*/news", "a/b/news", "topics")).toBe(false);
    expect(lists("a/*", "a/b:c", "topics")).toBe(true);
    expect(lists("*", "a/b/c", "topics")).toBe(true);
  });

  test("receivers are compared by their addresses", () => {
    expect(lists("Ada <ada@shop.example>, b@shop.example", "ADA@shop.example", "mail_recipients")).toBe(true);
    expect(lists("Ada <ada@shop.example>, b@shop.example", "b@shop.example", "mail_recipients")).toBe(true);
    expect(lists("*@shop.example", "x@shop.example", "mail_recipients")).toBe(true);
    expect(lists("*@shop.example", "x@shop.example.evil.example", "mail_recipients")).toBe(false);
    expect(lists("* <us@shop.example>", "evil@evil.example", "mail_recipients")).toBe(false);
  });

  test("a name of many open parts costs no more than its length", () => {
    const ms = processorMs(() => expect(lists(`${"*a".repeat(200)}b`, "a".repeat(100_000))).toBe(false));
    expect(ms).toBeLessThan(2_000);
  });

  test("a refusal shows a long name in part, and in one line", () => {
    const text = refusal({}, { kind: "commands", name: `x\n${"y".repeat(5_000)}` }) ?? "";
    expect(text).toContain("'x\\u000ay");
    expect(text.length).toBeLessThan(250);
  });
});
