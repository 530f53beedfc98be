import { expect, it } from "vitest";
import { Project } from "./project.ts";

const config = `name: ways
interfaces:
  ways:
    route: /ways/:kind
    params:
      kind: { validate: { is_not_equal_to: nobody } }
      size: { default_value: 1 }
    actions:
      - name: First
        input: a|params::kind->default(x)|
        assert: { tests: [{ value: a|First|, starts_with: a }] }
      - name: Second
        run_when_succeeded: [First]
        json_output: a|headers::x-name->default(none)|
      - name: Loop
        run_when_failed: [First]
        lookup: a|headers::x-list|
        actions:
          - { name: Inner, json_output: a|body| }
  never:
    output: cli
    actions: [{ name: Idle, json_output: 1 }]
`;

const one = `tests:
  - name: one way
    interface: ways
    given: { params: { kind: abc } }
    expect: { status: 200 }
`;

const both = `${one}  - name: the other way
    interface: ways
    given: { params: { kind: xyz, size: 2 }, headers: { x-name: Ada } }
    expect: { status: 200, actions: { First: failed, Loop: succeeded } }
  - name: a parameter that is refused
    interface: ways
    given: { params: { kind: nobody } }
    expect: { status: 400 }
`;

it("--coverage says what tests come by, in the report, as lcov and as a page", async () => {
  using project = new Project({ "ways.yaml": config, "ways.test.yaml": one });
  const { status, out, err } = await project.run("test", ".", "--coverage=lcov", "--min", "90");
  expect(out.slice(out.indexOf("coverage"))).toMatchInlineSnapshot(`
    "coverage
      ways.yaml   47.3 %  actions 2/5  gates 2/4  tests 2/4  fallbacks 3/6
      ways.yaml:6:25 test of kind: never fails
      ways.yaml:7:30 ->default: always taken
      ways.yaml:10:16 ->default: never taken
      ways.yaml:11:27 test of a|First|: never fails
      ways.yaml:12:15 Second: its gate never closes
      ways.yaml:14:22 ->default: always taken
      ways.yaml:15:15 Loop: never runs
      ways.yaml:19:21 Inner: never runs
      ways.yaml:22:23 Idle: never runs
    wrote coverage/lcov.info
    "
  `);
  expect(err).toMatch(/^coverage is \d+\.\d %, less than the 90 % of --min\n$/);
  expect(status).toBe(1);
  expect(project.read("coverage/lcov.info")).toMatchInlineSnapshot(`
    "TN:
    SF:ways.yaml
    BRDA:6,0,0,1
    BRDA:6,0,1,0
    BRDA:7,1,0,1
    BRDA:7,1,1,0
    BRDA:10,2,0,0
    BRDA:10,2,1,1
    BRDA:11,3,0,1
    BRDA:11,3,1,0
    BRDA:12,4,0,1
    BRDA:12,4,1,0
    BRDA:14,5,0,1
    BRDA:14,5,1,0
    BRDA:15,6,0,0
    BRDA:15,6,1,1
    BRF:14
    BRH:7
    DA:6,1
    DA:7,1
    DA:9,1
    DA:10,1
    DA:11,1
    DA:12,1
    DA:14,1
    DA:15,0
    DA:19,0
    DA:22,0
    LF:10
    LH:7
    end_of_record
    "
  `);
});

it("what went both ways is covered", async () => {
  using project = new Project({ "ways.yaml": config, "ways.test.yaml": both });
  const { out } = await project.run("test", ".", "--coverage=html");
  expect(out.slice(out.indexOf("coverage"))).toMatchInlineSnapshot(`
    "coverage
      ways.yaml   78.9 %  actions 3/5  gates 4/4  tests 4/4  fallbacks 4/6
      ways.yaml:10:16 ->default: never taken
      ways.yaml:14:22 ->default: always taken
      ways.yaml:19:21 Inner: never runs
      ways.yaml:22:23 Idle: never runs
    wrote coverage/index.html
    "
  `);
  const page = project.read("coverage/index.html");
  expect(page).toContain('<li class="none"><b>22</b><u>0×</u>');
  expect(page).not.toMatch(/<script|https?:/);
});

it.each(["101", "-1", "many"])("--min %s is wrong usage", async (min) => {
  using project = new Project({ "ways.yaml": config, "ways.test.yaml": one });
  expect(await project.run("test", ".", `--min=${min}`)).toMatchObject({ status: 3 });
});
