import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ConfigsInput, factsOfConfigs, manifest } from "../../../compiler/7-link/manifest.ts";
import { planTexts } from "../../../compiler/pipeline.ts";
import { inManifest, reviewedConfig, reviewedInterface } from "../../../compiler/review/facts.ts";
import { inCell, inMarkdown } from "../../../compiler/review/markdown.ts";
import { reportOf } from "../../../compiler/review/report.ts";
import type { Side } from "../../../compiler/review/side.ts";
import { run } from "../../harness/terminal.ts";
import { pairs } from "./pairs.ts";

// `pipewright diff`: what a change means, in every form, for files, folders, manifests and revisions of git.

const folder = mkdtempSync(join(tmpdir(), "diff-"));
afterAll(() => rmSync(folder, { recursive: true }));

function put(name: string, text: string): void {
  const file = join(folder, name);
  mkdirSync(join(file, ".."), { recursive: true });
  writeFileSync(file, text);
}

describe.each(pairs)("$name", ({ before, after, lines }) => {
  test("is told line by line", async () => {
    put("old/shop.yaml", before);
    put("new/shop.yaml", after);
    const { status, out, err } = await run(folder, "diff", "old/shop.yaml", "new/shop.yaml");
    expect(err).toBe("");
    expect(status).toBe(lines.length === 0 ? 0 : 2);
    const told =
      out
        .split("\n\n")[0]
        ?.split("\n")
        .filter((line) => line !== "" && line !== "no difference") ?? [];
    expect(told.map((line) => line.replace(/^(\w+) +/, "$1 ").replace(/(?:old|new)\/shop/, "shop"))).toEqual(lines);
  });
});

const pairNamed = (wanted: string) => pairs.find(({ name }) => name === wanted) ?? { before: "", after: "" };

describe("a difference", () => {
  beforeAll(() => {
    const { before, after } = pairNamed("an issuer is not asked for");
    put("a/shop.yaml", before);
    put("b/shop.yaml", after);
  });

  test("fails only for the severities that are asked for", async () => {
    expect((await run(folder, "diff", "a", "b", "--fail-on", "loosened,breaking")).status).toBe(2);
    expect((await run(folder, "diff", "a", "b", "--fail-on", "breaking")).status).toBe(0);
    expect((await run(folder, "diff", "a", "b", "--fail-on", "worse")).status).toBe(3);
    expect((await run(folder, "diff", "a", "nowhere")).status).toBe(3);
  });

  test("is a document, a comment of a pull request, and an annotation", async () => {
    const json = JSON.parse((await run(folder, "diff", "a", "b", "--format", "json")).out);
    expect(json.differences).toEqual([
      {
        ...{ severity: "loosened", facet: "checks", interface: "orders/list", side: "new", file: "b/shop.yaml", line: 16, column: 53 },
        text: "authentication is_valid_jwt of authorization holds no more to `iss`",
      },
    ]);
    expect(json.counts.loosened).toBe(1);
    expect((await run(folder, "diff", "a", "b", "--format", "markdown")).out).toBe(
      "## 1 loosened\n\n`a` → `b`\n\n### Loosened: open, shown or unchecked that was not\n\n- **orders/list**: authentication is\\_valid\\_jwt of authorization holds no more to `iss` (b/shop.yaml:16:53)\n",
    );
    expect((await run(folder, "diff", "a", "b", "--format", "github")).out).toBe(
      "::warning file=b/shop.yaml,line=16,title=loosened%3A orders/list::authentication is_valid_jwt of authorization holds no more to `iss`\n",
    );
  });

  test("needs both versions to compile", async () => {
    put("broken/shop.yaml", "name: shop\ninterfaces: []\n");
    const { status, err } = await run(folder, "diff", "a", "broken");
    expect(status).toBe(1);
    expect(err).toContain("broken does not compile:\nbroken/shop.yaml:2:13");
  });

  test("gives the report of check where a version has errors", async () => {
    put("broken/shop.yaml", "name: shop\ninterfaces: []\n");
    const { status, out } = await run(folder, "diff", "a", "broken", "--format", "json");
    expect(status).toBe(1);
    expect(JSON.parse(out)).toMatchObject({ diagnostics: [{ code: "PW114", file: "broken/shop.yaml", line: 2 }], errors: 1 });
  });
});

test("a revision of git is read without running anything of the repository", async () => {
  const { before, after } = pairNamed("another host");
  const git = (...args: readonly string[]): void =>
    void execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@t", ...args], { cwd: join(folder, "repo") });
  put("repo/api/shop.yaml", before);
  git("init", "-q");
  git("add", "api");
  git("commit", "-qm", "first");
  git("config", "core.fsmonitor", "touch ran");
  git("config", "diff.yaml.textconv", "touch ran");
  put("repo/.git/info/attributes", "*.yaml diff=yaml\n");
  put("repo/api/shop.yaml", after);
  put("repo/api/shop.test.yaml", "tests: []\n");
  const lines = ["HEAD:api", "HEAD:api/shop.yaml", "HEAD:./api", "HEAD:.", "HEAD:"].map((old) =>
    run(join(folder, "repo"), "diff", old, "api", "--fail-on", "reaches"),
  );
  for (const { status, out } of await Promise.all(lines)) {
    expect(status).toBe(2);
    expect(out).toContain("reaches    api/shop.yaml:22:9: orders/list: reaches host `api.example.org`");
    expect(out).toContain("tightened  api/shop.yaml:22:9 (old): orders/list");
  }
  expect((await run(join(folder, "repo"), "diff", "HEAD~7:api", "api")).status).toBe(3);
  expect((await run(join(folder, "repo"), "diff", "HEAD:nothing", "api")).status).toBe(3);
  expect(await run(join(folder, "repo"), "diff", "HEAD", "api")).toMatchObject({
    status: 3,
    err: "pipewright: HEAD: no such file or folder; a revision of git has a path behind it, such as HEAD:. or HEAD~1:api\n",
  });
  expect((await run(join(folder, "repo"), "diff", "--", "-p:api", "api")).status).toBe(3);
  expect(existsSync(join(folder, "repo", "ran"))).toBe(false);
});

test("manifests of builds are compared, with each other and with a configuration", async () => {
  const { before, after } = pairNamed("another table is changed");
  const manifestOf = (text: string): string => {
    const { plans } = planTexts([{ file: "shop.yaml", text }]);
    const reviewed: ConfigsInput["reviewed"] = (config, target) =>
      inManifest(target === undefined ? reviewedConfig(config) : reviewedInterface(target, config));
    const effectOf: ConfigsInput["effectOf"] = () => "state";
    const facts = { version: "0", environment: "staging", modules: [], plans, packages: [], node: undefined, files: [], effectOf };
    return manifest(facts, [...factsOfConfigs({ ...facts, reviewed })]);
  };
  put("manifests/old.json", manifestOf(before));
  put("manifests/new.json", manifestOf(after));
  put("manifests/new.yaml", after);
  const expected = [
    "reaches    shop.yaml: orders/list: reaches table `main: carts` by `delete`",
    "changed    shop.yaml: orders/list: action `Read`: `query` changed",
    "tightened  shop.yaml (old): orders/list: reaches table `main: orders` no more",
  ];
  const both = await run(folder, "diff", "manifests/old.json", "manifests/new.json");
  expect(both.out.split("\n").slice(0, 3)).toEqual(expected);
  expect((await run(folder, "diff", "manifests/new.json", "manifests/new.yaml")).out).toBe("no difference\n");
  expect(readFileSync(join(folder, "manifests/new.json"), "utf8")).not.toContain("DELETE FROM");
  put("manifests/none.json", "{}");
  expect((await run(folder, "diff", "manifests/none.json", "manifests/new.json")).status).toBe(3);
});

test("names of a configuration become no markup and no command of a workflow", () => {
  const text = "x\n::error file=a::pwned\r<img src=x> [a](http://evil) *b* a|b %0A @x";
  const one = {
    severity: "reaches",
    facet: "reach",
    subject: text,
    side: "new",
    file: `${text}.yaml`,
    text: `\`\`\`<img src=x>\`\` and \`${text}\``,
  } as const;
  const side: Side = { name: "`<b>`\n", reviewed: [], isManifest: false };
  for (const each of [one, { ...one, side: "old" as const }]) {
    const annotation = reportOf("github", [each], side, side);
    expect(annotation.trimEnd().split("\n")).toHaveLength(1);
    expect(annotation).toMatch(/^::notice (?:file=[^,:]*,line=1,)?title=[^,:\n]*::/);
    expect(annotation).toContain("%250A @x");
    expect(annotation).not.toContain("\r");
    const markdown = reportOf("markdown", [each], side, side);
    expect(markdown.split("\n").filter((line) => line.startsWith("::"))).toEqual([]);
    expect(markdown).not.toMatch(/(?<!\\)</);
    expect(reportOf("text", [each], side, side).trimEnd().split("\n")).toHaveLength(3);
  }
});

test.each([
  ["plain", "plain"],
  ["`a_b` and a_b", "`a_b` and a\\_b"],
  ["`a|b`", "`a|b`"],
  ["`", "\\`"],
  ["```<b>``", "\\`\\`\\`\\<b\\>\\`\\`"],
  ["`x`[a](b)`y`", "`x`\\[a\\](b)`y`"],
])("%s in Markdown", (text, shown) => expect(inMarkdown(text)).toBe(shown));

test("a bar ends no cell of a table", () => expect(inCell("`a|b` a|b")).toBe("`a\\|b` a\\|b"));
