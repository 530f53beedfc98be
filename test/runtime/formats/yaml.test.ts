import { describe, expect, it } from "vitest";
import { parseYaml } from "#runtime/formats/yaml.ts";

describe("limits", () => {
  it("100 alias expansions", () => {
    const aliases = (count: number): string => `- &a x\n${"- *a\n".repeat(count)}`;
    expect(parseYaml(aliases(100))).toHaveLength(101);
    expect(() => parseYaml(aliases(101))).toThrow("invalid YAML: more than 100 alias expansions");
  });

  it("those inside an expanded part count", () => {
    const laughs = "a: &a [1,1]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: [*c]\n";
    expect(() => parseYaml(laughs)).toThrow("invalid YAML: more than 100 alias expansions");
  });

  it("what aliases stand for", () => {
    const aliases = (length: number): string => `- &a ${"x".repeat(length)}\n- &b [*a, *a]\n- [*b, *b]\n`;
    expect(parseYaml(aliases(800_000))).toHaveLength(3);
    expect(() => parseYaml(aliases(900_000))).toThrow("invalid YAML: aliases stand for more than 5242880 characters");
  });

  it("100 levels", () => {
    const nested = (levels: number): string => `# not JSON\n${"[".repeat(levels)}${"]".repeat(levels)}`;
    expect(JSON.stringify(parseYaml(nested(99)))).toBe(nested(99).slice(11));
    expect(() => parseYaml(nested(101))).toThrow("invalid YAML: nested deeper than 100 levels");
    expect(() => parseYaml(`# not JSON\n${"[".repeat(1_000_000)}`)).toThrow("invalid YAML: nested deeper than 100 levels");
  });

  it("100 levels with aliases", () => {
    const inner = `${"[".repeat(60)}${"]".repeat(60)}`;
    expect(() => parseYaml(`a: &a ${inner}\nb: ${"[".repeat(60)}*a${"]".repeat(60)}\n`)).toThrow(
      "invalid YAML: nested deeper than 100 levels",
    );
  });

  it("100,000 tokens", () => {
    expect(parseYaml("- a\n".repeat(19_000))).toHaveLength(19_000);
    expect(() => parseYaml("- a\n".repeat(21_000))).toThrow("invalid YAML: more than 100000 tokens");
  });

  it("5 MiB, in UTF-8", () => {
    expect(() => parseYaml("é".repeat(2_621_441))).toThrow("document is 5242882 bytes, the limit is 5242880");
  });

  it("hold for what is only YAML: JSON is read as JSON", () => {
    expect(parseYaml(JSON.stringify(Array.from({ length: 300_000 }, () => ({ a: 1 }))))).toHaveLength(300_000);
  });
});

it("an anchor may be used again", () => {
  expect(parseYaml("- &a 1\n- *a\n- &a 2\n- *a\n")).toEqual([1, 1, 2, 2]);
});

it("an expanded part is not shared with a place that could change it", () => {
  expect(JSON.stringify(parseYaml("a: &x {k: 1}\nb: *x\n? *x\n: c\n"))).toBe('{"a":{"k":1},"b":{"k":1},"{\\"k\\":1}":"c"}');
});

it("keys that are maps or lists are their JSON", () => {
  expect(parseYaml("? {a: [1]}\n: x\n? [1, b]\n: y\n")).toEqual({ '{"a":[1]}': "x", '[1,"b"]': "y" });
});

it("an error says what and not where in the parser", () => {
  for (const text of ["a: b: c", "a:\n\t- b", "{a: 1", "'x", "- a\nb: c", "&a &b c", "a: 'x' y"]) {
    expect(() => parseYaml(text)).toThrow(/^invalid YAML: [A-Z][^\n]+[^\n:]$/);
  }
});
