import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { type Got, type Sent, send } from "../../harness/sockets.ts";
import { until } from "../../harness/until.ts";
import { connectTo } from "../../runtime/triggers/ws/ws-serving.ts";

// `pipewright dev`: what is saved is served, what does not compile is told and changes nothing (spec/surfaces 16).

const folder = mkdtempSync(join(tmpdir(), "pipewright-test-"));
const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("the command", () => {
  interface Dev {
    readonly ask: (path: string, sent?: Sent) => Promise<Got>;
    readonly said: () => string;
    /** Its standard output. */
    readonly out: () => string;
    readonly url: () => string;
    readonly write: (file: string, text: string) => void;
    readonly rename: (from: string, to: string) => void;
    readonly remove: (file: string) => void;
    /** Resolves when the path is answered so. */
    readonly until: (path: string, text: string) => Promise<void>;
    readonly child: ChildProcess;
    readonly ended: Promise<number | null>;
  }

  const config = (value: string, more = ""): string => `name: t
interfaces:
  a: { method: GET, actions: [{ name: A, json_output: ${value} }] }
${more}`;

  let projects = 0;

  async function dev(files: Readonly<Record<string, string>>, path = "."): Promise<Dev> {
    const cwd = join(folder, `project-${projects++}`);
    const write = (file: string, text: string): void => {
      mkdirSync(join(cwd, file, ".."), { recursive: true });
      writeFileSync(join(cwd, file), text);
    };
    for (const [file, text] of Object.entries(files)) write(file, text);
    const bin = fileURLToPath(new URL("../../../bin/pipewright.mjs", import.meta.url));
    const child = spawn(process.execPath, [bin, "dev", path, "--port", "0"], {
      cwd,
      env: { PATH: process.env.PATH, PIPEWRIGHT_METRICS_BIND: "off" },
      stdio: ["ignore", "pipe", "pipe"],
    });
    children.push(child);
    let [out, said] = ["", ""];
    child.stdout.on("data", (chunk: Buffer) => {
      out += chunk.toString();
    });
    child.stderr.on("data", (chunk: Buffer) => {
      said += chunk.toString();
    });
    const ended = new Promise<number | null>((resolve) => child.on("exit", resolve));
    const urlOf = (): string => /"url":"(http:[^"]+)"/.exec(out)?.[1] ?? "";
    await until(() => expect(urlOf()).not.toBe(""));
    const ask = (route: string, sent?: Sent): Promise<Got> => send(urlOf(), route, sent);
    return {
      ask,
      said: () => said,
      out: () => out,
      url: urlOf,
      write,
      rename: (from, to) => renameSync(join(cwd, from), join(cwd, to)),
      remove: (file) => rmSync(join(cwd, file)),
      until: (route, text) => until(async () => expect((await ask(route)).text).toContain(text)),
      child,
      ended,
    };
  }

  test("serves what is saved, also by way of another file, a module, an include or a variable; a run ends on its version", async () => {
    const project = await dev({
      "t.yaml": config("1", "  slow: { method: GET, actions: [{ name: A, delay: 1500ms }, { name: B, json_output: old }] }\n"),
      "vars/development.yaml": "V: one\n",
    });
    await project.until("/a", '"data":1');
    const slow = project.ask("/slow");
    project.write("t.yaml", config("2", "  slow: { method: GET, actions: [{ name: B, json_output: new }] }\n"));
    await project.until("/a", '"data":2');
    await project.until("/slow", '"data":"new"');
    expect((await slow).text).toContain('"data":"old"');
    // As editors do: a new file takes the place of the old one.
    project.write(".t.yaml.swp", config("3"));
    project.rename(".t.yaml.swp", "t.yaml");
    await project.until("/a", '"data":3');
    expect((await project.ask("/slow")).status).toBe(404);
    project.write("t.yaml", config('"a|include::part.txt| a|var::V|"'));
    project.write("part.txt", "first");
    await project.until("/a", '"data":"first one"');
    project.write("part.txt", "second");
    await project.until("/a", '"data":"second one"');
    project.write("vars/development.yaml", "V: two\n");
    await project.until("/a", '"data":"second two"');
    project.write("deep/u.yaml", "name: u\ninterfaces:\n  b: { method: GET, actions: [{ name: B, json_output: 1 }] }\n");
    await project.until("/b", '"data":1');
    project.remove("deep/u.yaml");
    await project.until("/b", "not_found");
    project.child.kill("SIGTERM");
    expect(await project.ended).toBe(0);
    expect(project.said()).toBe("");
  });

  test("serves sockets, which stay while what they run is saved anew", async () => {
    const sockets = (value: number): string => `  live: { ws: 1, public: true, actions: [{ name: A, json_output: ${value} }] }
  guarded: { ws: 1, subscribe_authorizer: a, actions: [] }
`;
    const project = await dev({ "t.yaml": config("1", sockets(1)) });
    await project.until("/a", '"data":1');
    // Served, there would have to be a choice.
    expect(project.said()).toContain("PW690");
    const client = await connectTo(project.url(), "/ws/local/development/live");
    await client.ask({ ap_subscribe: "c" });
    expect(await client.ask({})).toMatchObject({ data: { A: { data: 1 } } });
    project.write("t.yaml", config("2", sockets(2)));
    await project.until("/a", '"data":2');
    expect(await client.ask({})).toMatchObject({ data: { A: { data: 2 } } });
    const other = await connectTo(project.url(), "/ws/local/development/live");
    expect(await other.ask({ ap_subscribe: "#" })).toEqual({ ap_subscribed: ["#"] });
    project.write("t.yaml", config("3"));
    await project.until("/a", '"data":3');
    expect([await client.closed, await other.closed]).toEqual([1001, 1001]);
  });

  test("serves what few configurations need", async () => {
    const part = "  q: { method: POST, actions: [{ name: A, input: a|body|, post_transforms: [{ extract_with_json_path: $..id }] }] }\n";
    const project = await dev({ "t.yaml": config("1", part) });
    await project.until("/a", '"data":1');
    const sent = { method: "POST", headers: { "content-type": "application/json" }, body: '{"x":[{"id":1},{"id":2}]}' };
    expect(JSON.parse((await project.ask("/q", sent)).text).data.A.data).toEqual([1, 2]);
  });

  test("what does not compile is told in the terminal and in the browser, and changes nothing", async () => {
    const project = await dev({ "t.yaml": config("1") });
    await project.until("/a", '"data":1');
    project.write("t.yaml", config("a|").replace("json_output", "json_outputs"));
    await until(() => expect(project.said()).toContain("version 1 is served until this is mended"));
    expect(project.said()).toContain("t.yaml:3:42: error PW110: unknown key 'json_outputs' in Action");
    expect((await project.ask("/a")).text).toContain('"data":1');
    const state = JSON.parse((await project.ask("/_pipewright/dev.json")).text);
    expect(state).toMatchObject({ version: 1, isBroken: true, diagnostics: [{ code: "PW110", file: "t.yaml", line: 3, column: 42 }] });
    expect(state.diagnostics[0].frame).toMatch(/^ +1 \| name: t\n.*\n> +3 \|.*json_outputs.*\n.*\^{12}$/);
    const page = await project.ask("/anything", { headers: { accept: "text/html,*/*" } });
    expect([page.status, page.headers["content-security-policy"]]).toEqual([503, expect.stringContaining("script-src 'sha256-")]);
    expect((await project.ask("/anything")).status).toBe(404);
    // A page of a foreign name that leads to this machine sees nothing of the project.
    for (const path of ["/_pipewright/dev", "/_pipewright/dev.json", "/anything"])
      expect((await project.ask(path, { headers: { host: "evil.example", accept: "text/html" } })).status).toBe(404);
    project.remove("t.yaml");
    await new Promise((resolve) => setTimeout(resolve, 700));
    project.write("t.yaml", config("4"));
    await project.until("/a", '"data":4');
    expect((await project.ask("/anything", { headers: { accept: "text/html" } })).status).toBe(404);
    expect((await project.ask("/_pipewright/dev")).status).toBe(200);
    expect(project.said().match(/nothing is wrong any more/g)).toHaveLength(1);
  });

  test("says that it listens when there is something to ask for, and serves what is saved at that moment", async () => {
    const project = await dev({ "t.yaml": config("1") });
    project.write("t.yaml", config("2"));
    const records = project
      .out()
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(records.map(({ msg }) => msg)).toEqual(["loaded", "listening"]);
    expect(records[1]).toMatchObject({ configs: ["t"] });
    expect((await project.ask("/a")).status).toBe(200);
    await project.until("/a", '"data":2');
  });

  test("lists its routes at /, for people and for programs, unless an interface is there", async () => {
    const project = await dev({ "t.yaml": config("1", "  s: { ws: 1, public: true, actions: [] }\n") });
    const { status, text } = await project.ask("/?x=1");
    const routes = [{ method: "GET", path: "/a", interface: "a", config: "t", at: "t.yaml:3" }];
    expect([status, JSON.parse(text)]).toEqual([200, { version: 1, routes }]);
    const page = await project.ask("/", { headers: { accept: "text/html" } });
    expect([page.status, page.headers["content-type"]]).toEqual([200, "text/html; charset=utf-8"]);
    expect(JSON.parse((await project.ask("/_pipewright/dev.json")).text)).toMatchObject({ routes, diagnostics: [] });
    expect((await project.ask("/", { headers: { host: "evil.example" } })).status).toBe(404);
    project.write("t.yaml", config("1", "  home: { method: GET, route: /, actions: [{ name: A, json_output: home }] }\n"));
    await project.until("/", '"data":"home"');
  });

  test("warns of an answer that produces.schema does not allow, in both ways of running, and answers all the same", async () => {
    const answers = (enforce: boolean): string => `name: t
interfaces:
${["printed", "walked"]
  .map(
    (name) => `  ${name}:
    method: GET
    disable_fastpath: ${name === "walked"}
    produces: { enforce: ${enforce}, schema: { type: object, required: [n], properties: { n: { type: integer } } } }
    actions: [{ name: A, json_output: { n: a|params::n->default(1)->to_number| } }]
    response: { custom_body: '{"n": a|A::n|}', http_code_on_error: 422 }
    assert: { tests: [{ value: n, is_less_than: 9 }] }
`,
  )
  .join("")}`;
    const { ask, out, write, until: shows } = await dev({ "t.yaml": answers(true) });
    const warnings = (): string[] =>
      out()
        .split("\n")
        .filter((line) => line.includes("produces.schema"));
    for (const name of ["printed", "walked"]) {
      expect(await ask(`/${name}?n=2`)).toMatchObject({ status: 200 });
      expect(await ask(`/${name}?n=77.5`)).toMatchObject({ status: 422 });
      expect(await ask(`/${name}?n=2.5`)).toMatchObject({ status: 200, text: '{"n": 2.5}' });
    }
    await until(() => expect(warnings()).toHaveLength(2));
    expect(warnings().map((line) => JSON.parse(line))).toMatchObject([
      { level: "warn", interface: "printed", at: "t.yaml:6:32", errors: ["/n must be integer"], status: 200 },
      { level: "warn", interface: "walked", at: "t.yaml:13:32", errors: ["/n must be integer"], status: 200 },
    ]);
    write("t.yaml", answers(false).replaceAll('{"n": a|A::n|}', '{"n": a|A::n|, "new": true}'));
    await shows("/printed?n=3", '"new": true');
    expect(await ask("/walked?n=3.5")).toMatchObject({ status: 200 });
    expect(warnings()).toHaveLength(2);
  });

  test("a folder that is gone for a moment is served again when it is back", async () => {
    const project = await dev({ "api/t.yaml": config("{ v: 1 }") }, "api");
    await project.until("/a", '"v":1');
    project.rename("api", "elsewhere");
    await until(() => expect(project.said()).toContain("api"));
    expect((await project.ask("/a")).text).toContain('"v":1');
    project.rename("elsewhere", "api");
    project.write("api/t.yaml", config("{ v: 2 }"));
    await project.until("/a", '"v":2');
    expect(project.said()).not.toContain("bug of pipewright");
    project.child.kill("SIGTERM");
    expect(await project.ended).toBe(0);
  });

  test("begins with a project that does not compile", async () => {
    const project = await dev({ "t.yaml": "name: t\ninterfaces: 5\n" }, "t.yaml");
    await until(() => expect(project.said()).toContain("nothing is served until this is mended"));
    project.write("t.yaml", config("1"));
    await project.until("/a", '"data":1');
  });

  test("reads the fields of the start again when a variable has changed; a wrong one changes nothing", async () => {
    const failing = `  code: { method: GET, response: { http_code_on_error: "a|var::CODE|" }, actions: [{ name: A, assert: { tests: [{ value: a|params::x|, is_not_null: true }] } }] }\n`;
    const project = await dev({ "t.yaml": config("1", failing), "vars/development.yaml": "CODE: 418\n" });
    const answers = (status: number): Promise<unknown> => until(async () => expect((await project.ask("/code")).status).toBe(status));
    await answers(418);
    project.write("vars/development.yaml", "CODE: '503'\n");
    await answers(503);
    project.write("vars/development.yaml", "CODE: none\n");
    await until(() => expect(project.said()).toContain("t.yaml:4: 'code.response.http_code_on_error': expected integer, got 'none'"));
    await answers(503);
    project.write("vars/development.yaml", "CODE: 451\n");
    await answers(451);
  });

  test("what a version lacks keeps it from being served, not the last one", async () => {
    const project = await dev({ "t.yaml": config("1") });
    await project.until("/a", '"data":1');
    project.write("t.yaml", config("2", "  b: { method: GET, actions: [{ name: B, input: a|secret::NOPE| }] }\n"));
    await until(() => expect(project.said()).toContain("cannot be served: secret NOPE of t is not set"));
    expect((await project.ask("/a")).text).toContain('"data":1');
    project.write("vars/development.yaml", "NOPE: x\n");
    await project.until("/a", '"data":2');
  });
});
