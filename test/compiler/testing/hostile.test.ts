import { describe, expect, it } from "vitest";
import { messages, Project } from "./project.ts";

// Files of tests with hostile names and values, and the triggers and stand-ins that only tests have.

const name = "a\n]]></failure><script>alert(1)</script>\u202e\u001b[31m&\"'";
const quoted = JSON.stringify(name);

const config = `name: h
interfaces:
  one:
    route: /one/:id
    actions:
      - name: Kept
        json_output: { __proto__: 1, constructor: 2, said: a|body| }
        assert: { tests: [{ value: said, is_not_null: true, error_message: ${quoted} }] }
        response_on_success: { body: a|Kept| }
`;

const tests = `tests:
  - name: ${quoted}
    interface: one
    given: { params: { id: 1 }, body: ${quoted}, secret: { __proto__: s3cr3t-value } }
    expect: { body: { __proto__: 1, constructor: 3 } }
`;

const unseen = /[\p{Cf}]|(?!\n)\p{Cc}/u;

describe("hostile names and values", () => {
  it.each(["text", "json", "junit"])("are shown and do nothing in %s", async (format) => {
    using project = new Project({ "h.yaml": config, "h.test.yaml": tests });
    const { status, out, err } = await project.run("test", ".", "--format", format);
    expect([status, err]).toEqual([1, ""]);
    expect(out).not.toMatch(unseen);
    if (format === "junit") {
      expect(out).not.toContain("<script>");
      expect(out).not.toContain("]]>");
      expect(out.match(/<failure/g)).toHaveLength(1);
    }
  });

  it("are shown and do nothing in reports of coverage", async () => {
    using project = new Project({ "h\n]]><script>\u202e.yaml": config, "h\n]]><script>\u202e.test.yaml": tests });
    for (const form of ["lcov", "html"]) {
      const { out, err } = await project.run("test", ".", `--coverage=${form}`);
      expect(`${out}${err}`).not.toMatch(unseen);
    }
    const lcov = project.read("coverage/lcov.info");
    expect(lcov.split("\n").filter((line) => !/^(?:TN:|SF:|BRDA:|BRF:|BRH:|DA:|LF:|LH:|end_of_record|$)/.test(line))).toEqual([]);
    const page = project.read("coverage/index.html");
    expect(page).not.toContain("<script>");
    expect(page).not.toMatch(unseen);
  });

  it("names of members that objects inherit are ordinary ones", async () => {
    using project = new Project({ "h.yaml": config, "h.test.yaml": tests });
    expect(messages((await project.tests()).get(name))).toEqual(["the body differs at constructor"]);
  });

  it("a file that grows without end by its anchors is refused", async () => {
    const lines = Array.from({ length: 30 }, (_, i) => `a${i + 1}: &a${i + 1} [${Array(10).fill(`*a${i}`).join(", ")}]`);
    using project = new Project({ "h.yaml": config, "h.test.yaml": `a0: &a0 [x]\n${lines.join("\n")}\ntests: []\n` });
    const { status, err } = await project.run("test", ".");
    expect(status).toBe(1);
    expect(err).toMatch(/h\.test\.yaml:\d+:\d+: error PW\d+/);
  });

  it("a file that is too large is refused", async () => {
    using project = new Project({ "h.yaml": config, "h.test.yaml": `tests: []\n${"#".repeat(6 * 1024 * 1024)}` });
    const { status, err } = await project.run("test", ".");
    expect([status, err]).toEqual([1, expect.stringContaining("h.test.yaml")]);
  });
});

const triggered = `name: t
interfaces:
  told:
    output: cli
    actions:
      - { name: Told, json_output: { by: a|request::trigger|, body: a|body|, n: a|params::n| } }
  slow:
    output: cli
    actions:
      - { name: Slow, http: { url: "https://slow.test/", timeout: 20ms } }
`;

describe("what only tests have", () => {
  it.each(["schedule", "mqtt", "ws", "mcp", "cli"])("the trigger %s", async (trigger) => {
    using project = new Project({
      "t.yaml": triggered,
      "t.test.yaml": `tests:
  - name: one
    interface: told
    given: { trigger: ${trigger}, body: { a: 1 }, params: { n: 2 } }
    expect: { tests: [{ value: body.data.Told.data.by, is_equal_to: ${trigger} }, { value: body.data.Told.data.n, is_equal_to: 2 }] }
`,
    });
    expect(messages((await project.tests()).get("one"))).toEqual([]);
  });

  it("a stub that is slower than the call has time", async () => {
    using project = new Project({
      "t.yaml": triggered,
      "t.test.yaml": `tests:
  - name: one
    interface: slow
    given: { stubs: { GET https://slow.test/: { delay: 1m } } }
    expect: { status: 500, actions: { Slow: failed } }
`,
    });
    expect(messages((await project.tests()).get("one"))).toEqual([]);
  });

  it("a real database, by its address", async () => {
    using project = new Project({
      "d.yaml": `name: d
global: { databases: { main: { driver: sqlite, conn_string: "sqlite:/nowhere/at/all.db" } } }
interfaces:
  rows: { output: cli, actions: [{ name: Rows, database: main, query: SELECT 7 AS n }] }
`,
      "d.test.yaml": `tests:
  - name: one
    interface: rows
    given: { databases: { main: { url: "sqlite::memory:" } } }
    expect: { tests: [{ value: "body.data.Rows.data[0].n", is_equal_to: 7 }] }
`,
    });
    expect(messages((await project.tests()).get("one"))).toEqual([]);
  });
});
