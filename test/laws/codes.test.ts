import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { failures } from "../../compiler/diagnostics/codes/failures.ts";
import { allCodes, codeTables } from "../../compiler/diagnostics/codes/index.ts";
import { planCase } from "../compiler/diagnostics/diagnostic-cases.ts";
import { fixturesOf, root } from "../harness/folders.ts";
import { update } from "../harness/rules/words.ts";

// Law `codes`: a code never changes its meaning, has a page, and has a fixture that raises it (spec/decisions D6).

const file = new URL("test/codes.txt", root);

/** A line of test/codes.txt. */
interface Listed {
  readonly code: string;
  readonly severity: string;
  readonly name: string;
  /** The reason why no fixture can raise the code. */
  readonly reason: string | undefined;
}

const ofRuns = Object.entries(failures).map(([name, { code }]) => `${code} failure failures.${name}`);

const declared = Object.entries(codeTables).flatMap(([table, entries]) =>
  Object.entries(entries).map(([name, { code, severity }]) => `${code} ${severity} ${table}.${name}`),
);

describe("codes", () => {
  if (update) addNewLines();
  const listed = readListed();

  it("are never renumbered, renamed or removed, and new ones are listed", () => {
    expect([...declared, ...ofRuns].toSorted()).toEqual(listed.map(({ code, severity, name }) => `${code} ${severity} ${name}`).sort());
  });

  it("are raised by a fixture, or say why none can", () => {
    const raised = new Set([...fixturesOf("diagnostics").flatMap((name) => planCase(name).diagnostics.map(key)), ...loggedCodes()]);
    expect(listed.filter((one) => one.reason === undefined && !raised.has(key(one))).map(key)).toEqual([]);
    expect(listed.filter((one) => one.reason !== undefined && raised.has(key(one))).map(key)).toEqual([]);
    expect([...raised].filter((one) => !listed.some((known) => key(known) === one))).toEqual([]);
  });

  it.each(declared.map((line, i) => [line, i] as const))("%s has a page with a cause, an example and a remedy", (line) => {
    const [, , name = ""] = line.split(" ");
    const [table = "", entry = ""] = name.split(".");
    const page = codeTables[table]?.[entry]?.page ?? "";
    const [, means, wrong, right] = /^(.{20,}?)\n\nWrong:\n\n```yaml\n(.+?)\n```\n\nRight:\n\n```yaml\n(.+?)\n```\n$/s.exec(page) ?? [];
    expect(means).toMatch(/[.)]$/);
    expect(wrong).not.toBe(right);
  });

  it.each(Object.entries(failures))("%s has a page with a cause, a record of the log and a remedy", (_, { code, page }) => {
    const [, line = ""] = /^[A-Z][^\n]{40,}\.\n\nIn the log:\n\n```json\n(.+)\n```\n\nRemedy: .{20,}\.\n$/.exec(page) ?? [];
    expect(JSON.parse(line)).toMatchObject({
      interface: expect.any(String),
      at: expect.stringMatching(/^\w+\.yaml:\d+:\d+$/),
      msg: expect.stringMatching(new RegExp(`^${code} .`)),
    });
  });

  it("have the severities that the specification says", () => {
    const folder = new URL("docs/spec/", root);
    const pages = readdirSync(folder).map((name) => readFileSync(new URL(name, folder), "utf8"));
    const named = pages.flatMap((page) => [...page.matchAll(/(?:the (error|warning|note) )?\b(PW[1-8]\d\d)\b/g)]);
    expect(named.length).toBeGreaterThan(150);
    for (const [, severity, code = ""] of named) {
      const severities = allCodes.filter((one) => one.code === code).map((one) => one.severity);
      expect(severities, code).toContain(severity ?? severities[0]);
      expect(severities, code).not.toEqual([]);
    }
  });
});

const key = ({ code, severity }: { readonly code: string; readonly severity: string }): string => `${code} ${severity}`;

/** Codes of failures in the logs that runs of fixtures are expected to write. */
function loggedCodes(): readonly string[] {
  const texts = fixturesOf("interfaces").map((name) => new URL(`test/fixtures/interfaces/${name}/requests.yaml`, root));
  return texts
    .filter(existsSync)
    .flatMap((text) => [...readFileSync(text, "utf8").matchAll(/\b(?:info|warn|error) (PW9\d\d)\b/g)].map(([, code]) => `${code} failure`));
}

function readListed(): readonly Listed[] {
  const lines = readFileSync(file, "utf8").split("\n");
  return lines.flatMap((line): Listed[] => {
    const [entry = "", reason] = line.split("#").map((part) => part.trim());
    const [code, severity, name] = entry.split(" ");
    return code === undefined || severity === undefined || name === undefined ? [] : [{ code, severity, name, reason }];
  });
}

/** Adds lines for new codes. Existing lines stay, because changing a code is a decision that a person has to make. */
function addNewLines(): void {
  const text = readFileSync(file, "utf8");
  const fresh = [...declared, ...ofRuns].filter(
    (line) => !readListed().some(({ code, severity, name }) => `${code} ${severity} ${name}` === line),
  );
  if (fresh.length > 0) writeFileSync(file, `${text.trimEnd()}\n${fresh.join("\n")}\n`);
}
