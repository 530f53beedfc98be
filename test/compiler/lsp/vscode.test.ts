import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { attachment, devArguments, type LaunchConfiguration, starts } from "../../../templates/vscode/debugging.mts";
import { root } from "../../harness/folders.ts";

// Launch configurations of the extension for VS Code. A debugger then stops at lines of YAML, as inspect.slow.test.ts shows.

interface Debugger {
  readonly type: string;
  readonly configurationAttributes: Readonly<Record<string, { readonly properties: Readonly<Record<string, unknown>> }>>;
  readonly initialConfigurations: readonly LaunchConfiguration[];
  readonly configurationSnippets: readonly { readonly body: LaunchConfiguration }[];
}
const manifest: { readonly activationEvents: readonly string[]; readonly contributes: { readonly debuggers: readonly Debugger[] } } =
  JSON.parse(readFileSync(new URL("templates/vscode/package.json", root), "utf8"));
const [own] = manifest.contributes.debuggers;

test("each snippet of launch.json has only members that its request knows, and leads to a debugger of Node", () => {
  expect(own?.type).toBe("pipewright");
  expect(manifest.activationEvents).toContain("onDebugResolve:pipewright");
  const written = [...(own?.initialConfigurations ?? []), ...(own?.configurationSnippets ?? []).map(({ body }) => body)];
  expect(written.map(({ request }) => request)).toEqual(["launch", "launch", "attach"]);
  for (const each of written) {
    const { name, type, request, ...rest } = each;
    expect(type).toBe("pipewright");
    expect(Object.keys(own?.configurationAttributes[String(request)]?.properties ?? {})).toEqual(expect.arrayContaining(Object.keys(rest)));
    expect(attachment(each)).toMatchObject({ name, type: "node", request: "attach", address: "127.0.0.1", port: 9229, restart: true });
    expect(starts(each)).toBe(request === "launch");
  }
});

test("a launch says which paths are served, in which environment, and at which port a debugger finds them", () => {
  const configuration = { paths: ["api", "jobs/nightly.yaml"], environment: "staging", port: 9300 };
  expect(devArguments(configuration)).toEqual(["dev", "api", "jobs/nightly.yaml", "--env", "staging", "--inspect", "9300"]);
  expect(attachment(configuration).port).toBe(9300);
  // F5 without a launch.json gives nothing at all.
  expect([devArguments({}), starts({})]).toEqual([["dev", ".", "--inspect"], true]);
  for (const port of [0, -1, 70_000, 9_229.5])
    expect([devArguments({ port }), attachment({ port }).port]).toEqual([["dev", ".", "--inspect"], 9229]);
});
