import { beforeAll, expect, test } from "vitest";
import { messages, Project, type Reported } from "./project.ts";

// Tests of runs that wait for a callback: the callback is written in the test, and the run continues as in production (docs/testing.md).

const config = `name: waits
interfaces:
  ask:
    method: POST
    actions:
      - { name: Mint, json_output: { token: "a|uuid|-and-more" } }
      - { name: Mail, http: { url: "https://mail.test/?t=a|Mint::token|", method: POST } }
      - { name: Approve, run_when_succeeded: [Mail], wait_for_callback: { token: a|Mint::token|, timeout: 2d } }
      - name: Done
        run_when_succeeded: [Approve]
        http: { url: "https://shop.test/done", method: POST, body: { ok: a|Approve::body.ok|, by: "a|Approve::headers.x-by|", at: a|Approve::received_at| } }
      - { name: Late, run_when_failed: [Approve], http: { url: "https://shop.test/late", method: POST, body: { why: a|Approve| } } }
  walked:
    method: POST
    disable_fastpath: true
    actions:
      - { name: Mint, json_output: { token: "a|uuid|-and-more" } }
      - { name: Approve, wait_for_callback: { token: a|Mint::token|, timeout: 2d } }
      - { name: Done, run_when_succeeded: [Approve], http: { url: "https://shop.test/done", method: POST, body: a|Approve::body| } }
  short:
    method: POST
    actions:
      - { name: Rest, delay: 10m, timeout: 6m }
      - { name: Ask, depends_on: [], timeout: 1h, wait_for_callback: { token: "a|uuid|-and-more", timeout: 2d } }
      - { name: Quick, depends_on: [], timeout: 3d, wait_for_callback: { token: "a|uuid|-and-much-more", timeout: 2d } }
      - { name: Done, http: { url: "https://shop.test/done", method: POST } }
  two:
    method: POST
    respond: early
    actions:
      - { name: A, wait_for_callback: { token: "a|uuid|-and-more", timeout: 2d } }
      - { name: B, wait_for_callback: { token: "a|uuid|-and-much-more", timeout: 1h } }
      - { name: Rest, delay: 10m }
      - { name: Done, run_when_succeeded: [Rest], http: { url: "https://shop.test/done", method: POST, body: { a: a|A::body|, b: a|B::body| } } }
  each:
    method: POST
    actions:
      - name: Loop
        lookup: a|body|
        lookup_concurrency: 1
        actions:
          - { name: Wait, wait_for_callback: { token: "a|uuid|-and-more", timeout: 2d } }
      - { name: Done, run_when_succeeded: [Loop], http: { url: "https://shop.test/done", method: POST, body: a|Loop| } }
  agent:
    method: POST
    actions:
      - name: Answer
        agent:
          model: { api: openai, url: "https://models.test/v1", name: m }
          prompt: hi
          tools: [{ interface: refund, confirm: true }]
      - { name: Done, run_when_succeeded: [Answer], http: { url: "https://shop.test/done", method: POST, body: { text: a|Answer::text| } } }
  refund:
    accepts: { schema: { type: object, properties: { order: { type: integer } } } }
    actions: [{ name: R, http: { method: POST, url: "https://shop.test/refund", body: a|body| } }]
`;

const call = `{ choices: [{ finish_reason: tool_calls, message: { role: assistant, tool_calls: [{ id: c1, type: function, function: { name: refund, arguments: '{"order":7}' } }] } }], usage: {} }`;
const said = (text: string): string => `{ choices: [{ finish_reason: stop, message: { role: assistant, content: ${text} } }], usage: {} }`;

const tests = `given:
  stubs:
    POST https://shop.test/done: {}
    POST https://shop.test/late: {}
    POST https://mail.test/*: {}
  callbacks:
    Approve: { body: { ok: shared } }
tests:
  - name: somebody answers
    interface: ask
    given: { callbacks: { Approve: { body: { ok: true }, headers: { X-By: ada, Cookie: secret } } } }
    expect:
      status: 202
      includes: { accepted: true, waiting: true }
      actions: { Approve: succeeded, Done: succeeded, Late: skipped }
      effects:
        - { call: POST https://mail.test/* }
        - { call: POST https://shop.test/done, body: { ok: true, by: ada, at: "2026-01-01T00:00:00.000Z" } }
  - name: nobody answers
    interface: ask
    given: { callbacks: { Approve: { late: true } } }
    expect: { status: 202, actions: { Approve: failed, Done: failed, Late: succeeded }, effects: [POST https://mail.test/*, POST https://shop.test/late] }
  - name: what comes for all tests
    interface: walked
    expect: { status: 202, effects: [{ call: POST https://shop.test/done, body: { ok: shared } }] }
  - name: one waits longer than another
    interface: two
    given: { callbacks: { A: { body: 1 }, B: { late: true } } }
    expect: { status: 202, actions: { A: succeeded, B: failed, Rest: succeeded, Done: succeeded }, effects: [{ call: POST https://shop.test/done, body: { a: 1, b: null } }] }
  - name: the time of the action is over first
    interface: short
    given: { callbacks: { Ask: { late: true }, Quick: { late: true } } }
    expect: { status: 202, actions: { Rest: failed, Ask: failed, Quick: failed, Done: succeeded } }
  - name: each wait of a loop
    interface: each
    given: { body: [1, 2], callbacks: { Wait: [{ body: one }, { body: two }] } }
    expect: { status: 202, actions: { Loop: succeeded, Done: succeeded } }
  - name: once more than given
    interface: each
    given: { body: [1, 2], callbacks: { Wait: [{ body: one }] } }
  - name: once less than given
    interface: each
    given: { body: [1], callbacks: { Wait: [{ body: one }, { body: two }] } }
  - name: nothing is given
    interface: two
    given: { callbacks: { A: {} } }
  - name: never awaited
    interface: ask
    given:
      stubs: { POST https://mail.test/*: { status: 500 } }
      callbacks: { Approve: {} }
  - name: agreed
    interface: agent
    given:
      stubs: { POST https://models.test/*: [{ body: ${call} }, { body: ${said("paid")} }], POST https://shop.test/refund: {} }
      callbacks: { Answer: { body: { approved: true } } }
    expect:
      status: 202
      actions: { Answer: succeeded, Done: succeeded }
      effects:
        - POST https://models.test/*
        - { call: POST https://shop.test/refund, body: { order: 7 } }
        - POST https://models.test/*
        - { call: POST https://shop.test/done, body: { text: paid } }
  - name: refused
    interface: agent
    given:
      stubs: { POST https://models.test/*: [{ body: ${call} }, { body: ${said("sorry")} }] }
      callbacks: { Answer: { body: { approved: false, reason: too much } } }
    expect:
      status: 202
      effects: [POST https://models.test/*, POST https://models.test/*, { call: POST https://shop.test/done, body: { text: sorry } }]
`;

let reported: ReadonlyMap<string, Reported>;
let walked: ReadonlyMap<string, Reported>;

beforeAll(async () => {
  using project = new Project({ "waits.yaml": config, "waits.test.yaml": tests });
  reported = await project.tests();
  // For the coverage each test is run by the interpreter, too, and held against the module.
  walked = await project.tests("--coverage");
}, 60_000);

const failures: Readonly<Record<string, readonly string[]>> = {
  "once more than given": ["the run waits for somebody at Wait once more than callbacks are given (1)"],
  "once less than given": ["the run waits for somebody at Wait once only"],
  "nothing is given": [
    "the run waits for somebody at B, and the test does not say what comes: given: { callbacks: { B: { body: … } } }, or { late: true }",
  ],
  "never awaited": ["the run never waits for somebody at Approve"],
};

test.each([
  "somebody answers",
  "nobody answers",
  "what comes for all tests",
  "one waits longer than another",
  "the time of the action is over first",
  "each wait of a loop",
  "once more than given",
  "once less than given",
  "nothing is given",
  "never awaited",
  "agreed",
  "refused",
])("%s", (name) => {
  expect(messages(reported.get(name))).toEqual(failures[name] ?? []);
  expect(messages(walked.get(name))).toEqual(failures[name] ?? []);
});

test("an action that waits for nobody is refused, with the nearest one", async () => {
  using project = new Project({
    "waits.yaml": config,
    "waits.test.yaml":
      "given: { callbacks: { Wait: {}, Mint: {} } }\ntests:\n  - { name: a, interface: ask, given: { callbacks: { Aprove: {}, Mail: {} } } }\n",
  });
  const { err, status } = await project.run("test", ".");
  expect(err).toContain("the configuration has no waiting action 'Aprove' (did you mean 'Approve'?)");
  expect(err).toContain("the configuration has no waiting action 'Mail'");
  expect(err).toContain("the configuration has no waiting action 'Mint'");
  expect(err).not.toContain("'Wait'");
  expect(status).toBe(1);
});

test("both ways agree on generated requests to interfaces that wait", async () => {
  using project = new Project({ "waits.yaml": config, "waits.test.yaml": tests });
  const { out, err } = await project.run("verify", ".", "--runs", "20", "--time", "50");
  expect(`${out}${err}`).toMatch(/two: generated requests .*\(20 runs, /);
  expect(`${out}${err}`).not.toContain("✗");
}, 60_000);
