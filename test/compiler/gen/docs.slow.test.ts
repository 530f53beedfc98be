import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import { renderFrames } from "../../../compiler/diagnostics/frame.ts";
import { planTexts, printAll } from "../../../compiler/pipeline.ts";
import { root } from "../../harness/folders.ts";
import { update } from "../../harness/rules/words.ts";
import { run } from "../../harness/terminal.ts";

// The examples of README.md and docs/ are what the program does: configurations are checked, and outputs compared. UPDATE=1 writes the
// outputs anew.

const pages = readdirSync(new URL("docs/", root), { recursive: true }).map((name) => `docs/${String(name)}`);
const files = ["README.md", "CONTRIBUTING.md", ...pages.filter((name) => name.endsWith(".md")).toSorted()];
const read = (file: string): string => readFileSync(new URL(file, root), "utf8");

/** A fenced block of a page. */
interface Block {
  readonly language: string;
  readonly text: string;
  readonly line: number;
}

function blocksOf(page: string): readonly Block[] {
  return [...page.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(({ 1: language = "", 2: text = "", index }) => ({
    language,
    text,
    line: page.slice(0, index).split("\n").length + 1,
  }));
}

/**
 * The configuration that a block is, or is a part of: a list of actions stands in an interface. Undefined for other YAML, such as
 * variables.
 */
function configOf({ language, text }: Block): string | undefined {
  if (language !== "yaml") return undefined;
  if (/^name:/m.test(text)) return text;
  if (!text.startsWith("- name:")) return undefined;
  const actions = text.replace(/^(?=.)/gm, "      ");
  return `name: Snippet\nglobal:\n  databases:\n    main: { driver: sqlite, conn_string: "sqlite::memory:" }\ninterfaces:\n  snippet:\n    method: POST\n    actions:\n${actions}`;
}

describe.each(files)("%s", (file) => {
  const page = read(file);
  const blocks = blocksOf(page);

  test("shows configurations that have nothing to report", () => {
    const found = blocks.flatMap((block) => {
      const text = configOf(block);
      if (text === undefined) return [];
      const planned = planTexts([{ file: `${file}:${block.line}`, text }]);
      // A page about something else leaves the types of a body aside, which is what a note is about.
      const mistakes = planned.diagnostics.filter(({ severity }) => severity !== "note");
      return renderFrames(mistakes, planned.sources);
    });
    expect(found.join("")).toBe("");
  });

  test("shows what is printed and what the commands say", async () => {
    let fresh = page;
    for (const [i, block] of blocks.entries()) {
      const before = blocks[i - 1];
      const shown = await actual(block, before);
      if (shown !== undefined)
        fresh = fresh.replace(`\`\`\`${block.language}\n${block.text}\`\`\``, () => `\`\`\`${block.language}\n${shown}\`\`\``);
    }
    if (update) writeFileSync(new URL(file, root), fresh);
    expect(update ? fresh : page).toBe(fresh);
  });

  test("shows contract tests that pass", async () => {
    for (const [i, block] of blocks.entries()) {
      const config = blocks[i - 1]?.text ?? "";
      if (block.language !== "yaml" || !/^# \S+\.test\.yaml\n/.test(block.text) || configOf({ ...block, text: config }) === undefined)
        continue;
      const folder = mkdtempSync(join(tmpdir(), "pipewright-docs-"));
      for (const text of [config, block.text]) writeFileSync(join(folder, /^# (\S+)/.exec(text)?.[1] ?? ""), text);
      const { status, out, err } = await run(folder, "test", ".");
      rmSync(folder, { recursive: true });
      expect(status, out + err).toBe(0);
    }
  });

  test("links to files that are there", () => {
    const links = [...page.matchAll(/\]\((?!https?:|#)([^)#]+)(#[^)]*)?\)/g)].map(([, link = ""]) => link);
    expect(links.filter((link) => !existsSync(new URL(link, new URL(file, root))))).toEqual([]);
  });
});

/** The text that a block would show now: the part of a printed module that starts with its first line, or a command with its output. */
async function actual({ language, text }: Block, before: Block | undefined): Promise<string | undefined> {
  const [first = ""] = text.split("\n", 1);
  if (language === "ts" && before?.language === "yaml") return excerpt(await printed(before.text), first);
  if (language !== "console") return undefined;
  const { out, err } = await run(fileURLToPath(root), ...first.replace(/^\$ pipewright /, "").split(" "));
  return `${first}\n${out}${err}`.replace(/\n*$/, "\n");
}

/** The first line of a configuration in a page says what its file is called. */
async function printed(text: string): Promise<string> {
  const [, file = ""] = /^# (\S+\.yaml)\n/.exec(text) ?? [];
  const [module] = await printAll(planTexts([{ file, text }]));
  return module?.code ?? "";
}

/** From a line to the one that closes what it is about. */
function excerpt(code: string, first: string): string {
  const start = code.indexOf(`${first}\n`);
  const end = code.indexOf("\n};\n", start);
  return start < 0 || end < 0 ? "" : code.slice(start, end + "\n};\n".length);
}

describe("docs/configuration.md", () => {
  const folder = mkdtempSync(join(tmpdir(), "docs-"));
  afterAll(() => rmSync(folder, { recursive: true }));

  test("says what markers give", async () => {
    const [, body = "", table = ""] =
      /With the body `(.+?)`:\n\n\| written \| value \|\n\|---\|---\|\n((?:\|.*\n)+)/.exec(read("docs/configuration.md")) ?? [];
    const rows = [...table.matchAll(/^\| `(.*?)` \| `(.*?)`.*\|$/gm)].map(([, ...cells]) =>
      cells.map((cell) => cell.replaceAll("\\|", "|")),
    );
    expect(rows.length).toBeGreaterThan(5);
    const entries = rows.map(([written = ""], i) => `          v${i}: ${JSON.stringify(written)}\n`).join("");
    const config = `name: T\ninterfaces:\n  t:\n    output: cli\n    actions:\n      - name: V\n        json_output:\n${entries}    response: { custom_body: a|V| }\n`;
    writeFileSync(join(folder, "t.yaml"), config);
    const { out } = await run(folder, "run", "t", "t.yaml", "--body", body);
    expect(Object.values(JSON.parse(out))).toEqual(rows.map(([, value = ""]) => JSON.parse(value)));
  });
});

test("the table of commands lists those that there are", async () => {
  const { out } = await run(fileURLToPath(root), "--help");
  const there = [...out.matchAll(/^ {2}(\w+) (?:\[options\]|<| {3})/gm)].map(([, name]) => name);
  const listed = [...read("README.md").matchAll(/^\| `pipewright (\w+)/gm)].map(([, name]) => name);
  expect(listed.toSorted()).toEqual(there.toSorted());
});
