import { describe, expect, test } from "vitest";
import { plain } from "../../../compiler/1-read/document.ts";
import { read } from "../../../compiler/1-read/index.ts";
import { checker } from "../../../compiler/2-check/checker.ts";
import { collector } from "../../../compiler/diagnostics/collect.ts";
import { lineTable } from "../../../compiler/diagnostics/position.ts";
import { specs } from "./own-features.ts";

const check = checker(specs);

function run(text: string) {
  const { report, diagnostics } = collector();
  const document = read(text, "t.yml", report);
  const tree = document === undefined ? undefined : plain(check(document, report));
  const lines = lineTable(text);
  const said = diagnostics().map(({ code, message, at }) => {
    const { line, column } = lines.at(at.start);
    return `${code} ${line}:${column} ${message}`;
  });
  return { said, tree, diagnostics: diagnostics() };
}

/** One action from line 5 on, at column 9. */
const action = (...lines: readonly string[]): string =>
  ["name: t", "interfaces:", "  t:", "    actions:", "      - name: A", ...lines.map((line) => `        ${line}`), ""].join("\n");

/** The only action of what is left. */
const left = (text: string): unknown => {
  const tree = run(text).tree as { interfaces: { t: { actions: unknown[] } } };
  return tree.interfaces.t.actions[0];
};

describe("keys", () => {
  test("unknown ones are reported at the key, with the nearest name", () => {
    expect(run(action("post_transfroms: []", "zzz: 1")).said).toEqual([
      "PW110 6:9 unknown key 'post_transfroms' in Action (did you mean 'post_transforms'?)",
      "PW110 7:9 unknown key 'zzz' in Action",
    ]);
    expect(run(action("post_transfroms: []")).diagnostics[0]?.fix?.text).toBe("post_transforms");
  });

  test("that start with x- are notes, anywhere but in free maps", () => {
    const text = action("x-note: 1", "response_on_success: {x-a: 1, headers: {x-b: c}}", "post_transforms: [{x-c: 1, return_row: 0}]");
    expect(run(text).said).toEqual([]);
    expect(left(text)).toEqual({ name: "A", response_on_success: { headers: { "x-b": "c" } }, post_transforms: [{ return_row: 0 }] });
  });

  test("required ones are missed at the record, also when they are null", () => {
    expect(run("interfaces: {}\n").said).toEqual(["PW113 1:1 missing required key 'name' in Config"]);
    expect(run("name: ~\ninterfaces: {}\n").said).toEqual(["PW113 1:1 missing required key 'name' in Config"]);
  });

  test("optional ones may be null", () => {
    const text = action("assert: ~", "hide_action:", "retry: null");
    expect(run(text).said).toEqual([]);
    expect(left(text)).toEqual({ name: "A" });
  });

  test("with a fixed meaning hold no marker", () => {
    expect(run(action("a|var::X|: 1")).said).toEqual(["PW208 6:9 marker in the key of Action"]);
  });

  test("a file of something else is one mistake", () => {
    expect(run("services:\n  web: {image: x}\nvolumes: {}\n").said).toEqual(["PW113 1:1 missing required key 'interfaces' in Config"]);
  });
});

describe("values", () => {
  test.each([
    ["hide_action: maybe", "PW114 6:22 'hide_action': expected boolean, got string"],
    ["post_transforms: {}", "PW114 6:26 'post_transforms': expected array, got object"],
    ["run_when_succeeded: [A, 5]", "PW114 6:33 'run_when_succeeded[1]': expected string, got number"],
    ["run_when_succeeded: A", "PW114 6:29 'run_when_succeeded': expected array or object, got string"],
    ["delay: soon", "PW114 6:16 'delay': 'soon' is no duration, such as 500ms, 30s or 1h30m"],
    ["assert: {http_code_on_error: 4040}", "PW317 6:38 status code 4040 is outside 100..599"],
    ["http: {url: x, expect_status: [2xx, ok]}", "PW316 6:45 bad status matcher 'ok'"],
    [
      "http: {url: x, data_type: jsn}",
      "PW114 6:35 'data_type': expected one of text, json, ndjson, jsonl, csv, xml (did you mean 'json'?)",
    ],
    ["query: 5", "PW114 6:16 'query': expected string, got number"],
    ["assert: text", "PW114 6:17 'assert': expected object, got string"],
  ])("%s", (line, expected) => {
    expect(run(action(line)).said).toEqual([expected]);
  });

  test("a text that was read as a number can be quoted", () => {
    expect(run("name: t\nversion: 1.10\ninterfaces: {}\n").diagnostics[0]?.fix?.text).toBe('"1.10"');
  });

  test("an unknown driver has its own code", () => {
    expect(run("name: t\nglobal:\n  databases:\n    m: {driver: sqlit, conn_string: x}\ninterfaces: {}\n").said).toEqual([
      "PW410 4:17 unknown driver 'sqlit' (did you mean 'sqlite'?)",
    ]);
  });

  test("a marker passes where a value of any type can be filled in", () => {
    const text = action(
      "delay: a|body::ms|",
      "http: {url: x, expect_status: a|var::S|}",
      "post_transforms: [{return_row: 'a|body::n->default(0)|'}]",
    );
    expect(run(text).said).toEqual([]);
    expect(run(action("delay: a||")).said).toHaveLength(1);
  });

  test("a marker is refused where the value must be static, once", () => {
    expect(run(action('run_when_succeeded: ["a|B|"]', "hide_action: a|body::h|")).said).toEqual([
      "PW207 6:30 'run_when_succeeded' must be static (no markers)",
      "PW207 7:22 'hide_action' must be static (no markers)",
    ]);
  });
});

describe("transforms and tests", () => {
  test.each([
    ["post_transforms: [{return_row: 0, remove_keys: [a]}]", "PW430 6:43 transform entry must have exactly one key"],
    ["post_transforms: [{}]", "PW430 6:27 transform entry must have exactly one key"],
    ["post_transforms: [{return_rwo: 0}]", "PW431 6:28 unknown transform 'return_rwo' (did you mean 'return_row'?)"],
    ["post_transforms: [{return_row: 0, foo: 1}]", "PW431 6:43 unknown transform 'foo'"],
    ["post_transforms: [{return_row: -1}]", "PW512 6:40 'return_row': expected 0 or more, got -1"],
    ["post_transforms: [{choose: {}}]", "PW113 6:36 missing required key 'a' in choose"],
    ["post_transforms: [{choose: {a: 1, c: 2}}]", "PW110 6:43 unknown key 'c' in choose"],
    ["post_transforms: [{choose: {b: x, a: 1}}]", "PW115 6:43 'b' and 'a' exclude each other"],
    ["post_transforms: [{choose: [1]}]", "PW114 6:36 'choose': expected string or object, got array"],
    ["assert: {tests: [{value: x, is_nul: true}]}", "PW424 6:37 unknown matcher 'is_nul' (did you mean 'is_null'?)"],
  ])("%s", (line, expected) => {
    expect(run(action(line)).said).toEqual([expected]);
  });

  test("the tests of parameters are tests, too", () => {
    const text = "name: t\ninterfaces:\n  t:\n    params:\n      p: {validate: {is_less_then: 5}}\n";
    expect(run(text).said).toEqual(["PW424 5:22 unknown matcher 'is_less_then' (did you mean 'is_less_than'?)"]);
  });
});

describe("what is not supported yet", () => {
  test("may be said to be off", () => {
    const text = "name: t\nexpose_metrics: false\ninterfaces:\n  t: {public: false, respond: late, capture: off}\n";
    expect(run(text).said).toEqual([]);
  });

  test("is still checked inside", () => {
    expect(run(action("agent: {modell: x}")).said).toContain("PW110 6:17 unknown key 'modell' in Agent (did you mean 'model'?)");
  });
});

describe("older names", () => {
  test.each([
    [
      "name: t\nmetrics_enabled: false\ninterfaces: {}\n",
      "PW120 2:1 'metrics_enabled' is a legacy name for 'expose_metrics'",
      { name: "t", expose_metrics: false, interfaces: {} },
    ],
    ["name: t\ninterface: {}\n", "PW120 2:1 'interface' is a legacy name for 'interfaces'", { name: "t", interfaces: {} }],
    [
      "name: t\ninterfaces:\n  t:\n    request_example: 1\n    accepts: {schema: {}}\n",
      "PW120 4:5 'request_example' is a legacy name for 'accepts.example'",
      { name: "t", interfaces: { t: { accepts: { schema: {}, example: 1 } } } },
    ],
    [
      "name: t\ninterfaces:\n  t:\n    response_example: 1\n    produces: {example: 2}\n",
      "PW120 4:5 'response_example' is a legacy name for 'produces.example'",
      { name: "t", interfaces: { t: { produces: { example: 2 } } } },
    ],
    ["name: t\ninterfaces:\n  t:\n    input: a|body|\n", "PW111 4:5 'input' has no effect here", { name: "t", interfaces: { t: {} } }],
    ["name: t\ninterfaces:\n  t:\n    query: x\n", "PW112 4:5 'query' is not supported and ignored", { name: "t", interfaces: { t: {} } }],
  ])("%j", (text, expected, tree) => {
    const result = run(text);
    expect(result.said).toEqual([expected]);
    expect(result.tree).toEqual(tree);
  });

  test("of actions", () => {
    const text =
      "name: t\ninterfaces:\n  t:\n    actions:\n      - action: A\n        url: http://x\n        http: {method: GET}\n        data_hide: {on_error: true}\n";
    expect(run(text).said.map((one) => one.slice(0, 9))).toEqual(["PW120 5:9", "PW120 6:9", "PW120 8:9"]);
    expect(left(text)).toEqual({ name: "A", http: { method: "GET", url: "http://x" }, hide_data_on_error: true });
  });

  test("with null are absent", () => {
    const nulls = (...keys: readonly string[]): string => keys.map((key) => `${key}: null`).join(", ");
    const own = nulls("request_example", "response_example", "input", "url", "conn_string", "query", "data_metrics");
    const inAction = nulls("action", "url", "data_hide", "output", "log", "data_metrics");
    const http = `http: {url: b, multipart: [], ${nulls("multipart_form", "multipart_files")}}`;
    const text = `name: t\nmetrics_enabled: null\ninterfaces:\n  t: {${own}, actions: [{name: A, ${inAction}, ${http}}]}\n`;
    expect(run(text).said).toEqual([]);
    expect(left(text)).toEqual({ name: "A", http: { url: "b", multipart: [] } });
  });

  test("exclude the modern one", () => {
    expect(run(action("url: a", "http: {url: b}")).said).toEqual(["PW115 7:16 'url' and 'http.url' exclude each other"]);
  });

  test("tests of an interface are those of its assert, without warning", () => {
    const text = "name: t\ninterfaces:\n  t:\n    tests: [{value: b, is_null: true}]\n    assert: {tests: [{value: a, is_null: true}]}\n";
    const result = run(text);
    expect(result.said).toEqual([]);
    const tests = [
      { value: "a", is_null: true },
      { value: "b", is_null: true },
    ];
    expect(result.tree).toEqual({ name: "t", interfaces: { t: { assert: { tests } } } });
  });
});

describe("what is left for later phases", () => {
  test("an action stays when its source was wrong", () => {
    expect(left(action("http: {url: 5}", "run_when_succeeded: []"))).toEqual({ name: "A", run_when_succeeded: [] });
  });

  test("tests and transforms are whole or gone", () => {
    expect(left(action("assert: {tests: [{value: x, is_nul: true}, {value: y, is_null: true}]}"))).toEqual({
      name: "A",
      assert: { tests: [{ value: "y", is_null: true }] },
    });
    expect(left(action("post_transforms: [{rename_keys: {a: 5}}, {return_row: 0}]"))).toEqual({
      name: "A",
      post_transforms: [{ return_row: 0 }],
    });
  });

  test("names that others use stay, without a value", () => {
    const text =
      "name: t\nglobal:\n  databases:\n    a: {driver: oracle, conn_string: x}\n    b: 5\ninterfaces:\n  t: {schedule: {cron: x}, output: none}\n";
    expect(run(text).tree).toEqual({
      name: "t",
      global: { databases: { a: { conn_string: "x" }, b: null } },
      interfaces: { t: { schedule: { cron: "x" }, output: "none" } },
    });
  });

  test("a gate that was wrong is empty, so that no order follows from it", () => {
    expect(left(action("depends_on: {actions: [A], at_lest: 1}"))).toEqual({ name: "A", depends_on: [] });
  });
});
