import { join } from "node:path";
import ts from "typescript";
import { afterAll, beforeAll, expect, test } from "vitest";
import { templateProject } from "../../harness/template-project.ts";

let project: Awaited<ReturnType<typeof templateProject>>;
beforeAll(async () => {
  project = await templateProject("fastify", ["fastify", "@types/node"]);
});
afterAll(() => project.remove());

test("the application that `init --template fastify` writes passes its own type check", () => {
  const { config } = ts.readConfigFile(join(project.folder, "tsconfig.json"), ts.sys.readFile);
  const { fileNames, options } = ts.parseJsonConfigFileContent(config, ts.sys, project.folder);
  const program = ts.createProgram(fileNames, { ...options, customConditions: ["pipewright-source"] });
  expect(fileNames.map((file) => file.slice(project.folder.length + 1)).sort()).toEqual([
    "application.ts",
    "generated/orders.ts",
    "server.ts",
  ]);
  expect(ts.getPreEmitDiagnostics(program).map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"))).toEqual([]);
});
