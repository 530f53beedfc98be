import { describe, expect, it } from "vitest";
import { runIn } from "../../harness/terminal.ts";
import { Project } from "./project.ts";

// Failures of `test` and `verify` show no secret of the machine: they open no sealed variable and read no environment
// (spec/command-line 12).

const token = "s3aled-t0ken-value";
const password = "p4ssword-of-the-machine";
const key = Buffer.alloc(32, 7).toString("base64");

const config = `name: shop
interfaces:
  one:
    route: /one
    method: GET
    actions:
      - name: Kept
        json_output: { token: a|var::ENCRYPTED_TOKEN|, password: a|env::PASSWORD|, key: a|env::PIPEWRIGHT_MASTER_KEY| }
      - name: Call
        http: { url: https://api.example.com/x, bearer_auth: a|var::ENCRYPTED_TOKEN| }
        run_when_succeeded: [Kept]
`;

const tests = `tests:
  - name: fails
    interface: one
    expect: { status: 200, body: { data: { Kept: { data: { token: other } } } } }
`;

describe("the secrets of the machine", () => {
  const environment = { PIPEWRIGHT_MASTER_KEY: key, PASSWORD: password };

  it.each([
    ["test", "text"],
    ["test", "json"],
    ["test", "junit"],
    ["verify", "text"],
    ["verify", "json"],
  ])("do not stand in what a failing %s prints as %s", async (command, format) => {
    using project = new Project({ "shop.yaml": config, "shop.test.yaml": tests });
    const sealing = await runIn(environment, project.folder, "vars", "set", "ENCRYPTED_TOKEN", token, "--seal", "--env", "production");
    expect([sealing.status, sealing.err]).toEqual([0, expect.not.stringContaining(token)]);
    expect(project.read("vars/production.yaml")).toContain("sealed");
    const { out, err } = await runIn(environment, project.folder, command, ".", "--env", "production", "--format", format);
    const text = `${out}${err}`;
    expect(text).toContain("one");
    for (const secret of [token, password, key]) expect(text).not.toContain(secret);
  });

  it("do not stand in a failure of the test that is given others", async () => {
    const given = tests.replace("interface: one", "interface: one\n    given: { env: { PASSWORD: open-word } }");
    using project = new Project({ "shop.yaml": config, "shop.test.yaml": given });
    const { status, out } = await runIn(environment, project.folder, "test", ".");
    expect(status).toBe(1);
    expect(out).toContain("fails");
    expect(out).not.toContain(password);
  });
});
