import { existsSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Project } from "../compiler/testing/project.ts";

// The configuration of a stranger can be verified without risk: nothing of it runs outside, no command, no request, no file, no database.

test("verify and its requests at random touch nothing", async () => {
  const asked: string[] = [];
  const server = createServer(({ url = "" }, response) => {
    asked.push(url);
    response.end("{}");
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // it listens on an address
  using project = new Project({});
  const canary = (name: string): string => join(project.folder, `canary-${name}`);
  project.write(
    "hostile.yaml",
    `name: "hostile\`\${process.exit(9)}\`*/"
global:
  databases:
    main: { driver: sqlite, conn_string: "sqlite:${canary("sqlite")}" }
  secrets: { s: { kind: command, data: "touch ${canary("secret")}; echo x" } }
interfaces:
  script: { method: POST, actions: [{ name: A, command: { run: "touch ${canary("script")}" } }] }
  program: { method: POST, actions: [{ name: A, command: { run: [touch, "${canary("program")}"] } }] }
  http: { method: POST, actions: [{ name: A, http: { url: "http://127.0.0.1:${port}/a|body::x|", body: a|body| } }] }
  file: { method: POST, actions: [{ name: A, http: { url: "http://127.0.0.1:${port}/", multipart: [{ name: f, file_path: /etc/passwd }] } }] }
  database: { method: POST, actions: [{ name: A, database: main, query: "CREATE TABLE IF NOT EXISTS t (a)" }] }
  secret: { method: POST, actions: [{ name: A, json_output: { s: a|secret::s| } }] }
  __proto__: { method: POST, actions: [{ name: __proto__, input: a|body| }] }
  nightly: { schedule: { cron: "* * * * *", enabled: true }, actions: [{ name: A, command: { run: "touch ${canary("nightly")}" } }] }
`,
  );
  const { status, out, err } = await project.run("verify", ".", "--runs", "5", "--seed", "1");
  server.close();
  expect([status, err]).toEqual([0, ""]);
  expect(out).toContain("8 passed");
  expect(asked).toEqual([]);
  const names = ["sqlite", "secret", "script", "program", "nightly"];
  expect(names.filter((name) => existsSync(canary(name)))).toEqual([]);
});
