import fc from "fast-check";
import { expect, test } from "vitest";
import type { Included } from "../../compiler/1-read/files.ts";
import { LastLook, type Memory } from "../../compiler/memory.ts";
import { documentOf, planTexts, printAll } from "../../compiler/pipeline.ts";
import { syntheticConfigs } from "../bench/synthetic.ts";
import { draws } from "../harness/rules/words.ts";
import { type Edit, edited, editsOf } from "./edits.ts";

// A look at a project with the results of the look before it gives what a look without any gives, byte for byte.

/** The files of a project by their names. */
type Files = ReadonlyMap<string, string>;

const shop = `name: shop
docs: true
global:
  templates: { t: "hello a|body::name|" }
  databases: { main: a|module::db| }
interfaces:
  orders:
    method: POST
    actions:
      - a|module::step|
      - { name: Q, run_when_succeeded: [Step], database: main, query: a|include::q.sql| }
      - { name: Said, json_output: { said: a|template::t|, of: a|Step::id|, key: a|var::KEY| } }
  orders/:id: { method: GET, actions: [{ name: A, json_output: { id: a|params::id| } }] }
`;

const people = `name: people
docs: true
interfaces:
  a: { method: GET, actions: [a|module::step|, { name: B, json_output: { of: a|Step::nothing| } }] }
  people/:id:
    method: PATCH
    produces: { schema: { type: object }, enforce: true }
    actions:
      - { name: Body, input: a|body|, post_transforms: [{ rename_keys: { id: a|var::ENCRYPTED_A| } }] }
      - { name: J, json_output: { ids: "a|body::jq::[.list[] | .id]|" } }
      - { name: C, json_output: { key: a|secret::KEY|, text: a|include::text.txt| } }
  subscribe: { ws: "on", actions: [{ name: W, json_output: 1 }] }
`;

const project: Files = new Map([
  ["shop.yaml", shop],
  ["people.yaml", people],
  ["beside.yaml", "type: Action\nspec: { name: Beside, json_output: 3 }\n"],
  ["more.yaml", "name: more\ninterfaces:\n  m: { method: GET, actions: [a|module::beside|, { name: Tail, json_output: a|env::HOME| }] }\n"],
  ["compose.yaml", "services:\n  web: { image: nginx }\n"],
  ...syntheticConfigs(4, 2).map(({ file, text }): [string, string] => [file, text]),
  ["modules/step.yaml", "type: Action\nspec:\n  name: Step\n  input: a|body|\n  post_transforms: [{ add_attribute: { ok: 1 } }]\n"],
  ["modules/db.yaml", "type: Database\nspec: { driver: postgres, conn_string: a|env::DATABASE_URL| }\n"],
  ["vars/base.yaml", "KEY: { sealed: v1.x }\nENCRYPTED_A: { sealed: v1.y }\nOTHER: 1\n"],
  ["q.sql", "SELECT id, name AS n FROM orders"],
  ["text.txt", "a text"],
]);

const changed = (file: string, text: string): Files => new Map([...project, [file, text]]);

/** All that is known of a project: findings with their places, plans, and what is printed of them. */
async function looked(files: Files, memory?: Memory): Promise<string> {
  const inside = (folder: string) => [...files].flatMap(([file, text]) => (file.startsWith(folder) ? [{ file, text }] : []));
  const configs = [...files].flatMap(([file, text]) =>
    /^(?:synthetic\/)?[^/]*\.yaml$/.test(file) ? [{ file, text, searched: true }] : [],
  );
  const include = (_: string, path: string): Included => {
    const text = files.get(path);
    return text === undefined ? { problem: "not readable" } : { text };
  };
  const remembering = memory === undefined ? {} : { memory };
  const planned = planTexts(configs, { modules: inside("modules/"), variables: inside("vars/"), include, ...remembering });
  const { diagnostics, failed, skipped, plans, sources } = planned;
  const placed = diagnostics.map((each) => ({ ...each, line: sources.lines(each.at.file).at(each.at.start) }));
  const printed = failed ? undefined : [await printAll(planned, remembering), documentOf(planned)];
  return JSON.stringify({ failed, skipped, placed, plans, printed });
}

/** The files after an edit; the last ones come back by `undo`. */
function after(files: Files, edit: Edit): Files {
  const names = [...files.keys()];
  const name = names[Math.floor(edit.file * names.length)];
  const text = name === undefined ? undefined : files.get(name);
  if (edit.kind === "come") {
    const gone = [...project].find(([file]) => !files.has(file));
    return gone === undefined ? files : new Map([...files, gone]);
  }
  if (name === undefined || text === undefined) return files;
  if (edit.kind === "leave") return new Map([...files].filter(([file]) => file !== name));
  return new Map([...files, [name, edited(text, edit)]]);
}

const edits = editsOf(["type", "type", "type", "type", "double", "remove", "swap", "undo", "undo", "leave", "come"], 8);

test("whatever becomes of the files, results of the last look change nothing", { timeout: 600_000 }, async () => {
  let printed = 0;
  const law = fc.asyncProperty(edits, async (all) => {
    const memory = new LastLook();
    let [files, before] = [project, project];
    expect(await looked(files, memory)).toBe(await looked(files));
    for (const edit of all) {
      [files, before] = edit.kind === "undo" ? [before, files] : [after(files, edit), files];
      const fresh = await looked(files);
      expect(await looked(files, memory)).toBe(fresh);
      if (fresh.includes('"failed":false')) printed += 1;
    }
  });
  await fc.assert(law, { numRuns: draws(500) });
  expect(printed).toBeGreaterThan(draws(500) / 2);
});

test.each([
  ["a variable that is sealed no more", "vars/base.yaml", "KEY: { sealed: v1.x }", "KEY: plain"],
  ["a character of a value", "beside.yaml", "json_output: 3", "json_output: 4"],
  ["the name of an action in a module", "modules/step.yaml", "name: Step", "name: Stip"],
  ["the type of a module", "modules/db.yaml", "type: Database", "type: Action"],
  ["a column of an included query", "q.sql", "name AS n", "name"],
  ["a route that another file has", "people.yaml", "people/:id", "orders/:id"],
  ["a name that another file has", "people.yaml", "name: people", "name: shop"],
  ["a filter that jq refuses", "people.yaml", ".list[] | .id", ".list[] |"],
  ["lines above", "shop.yaml", "name: shop", "\n\nname: shop"],
  ["a file that is no foreign one any more", "compose.yaml", "services:", "name: x\ninterfaces:"],
])("a look that knows the files before and one that does not are alike after %s", async (_, file, from, to) => {
  const memory = new LastLook();
  const text = project.get(file) ?? "";
  expect(text).toContain(from);
  const before = await looked(project, memory);
  const files = changed(file, text.replace(from, to));
  const fresh = await looked(files);
  expect(fresh).not.toBe(before);
  expect(await looked(files, memory)).toBe(fresh);
  expect(await looked(project, memory)).toBe(before);
});

/** The work that a look does anew, as `step file`. */
async function doneAnew(files: Files, memory: LastLook): Promise<readonly string[]> {
  const done: string[] = [];
  await looked(files, {
    result: (work, report) =>
      memory.result(
        {
          ...work,
          make: (...given) => {
            done.push(`${work.step} ${work.file}`);
            return work.make(...given);
          },
        },
        report,
      ),
    keepOnly: (texts) => memory.keepOnly(texts),
  });
  return done.sort();
}

const steps = ["analyse", "check", "plan", "print", "resolve"];

test("nothing is done anew for files that have not changed, and for those that only ask about them what they asked", async () => {
  const memory = new LastLook();
  const all = await doneAnew(project, memory);
  for (const step of steps) expect(all).toContain(`${step} people.yaml`);
  expect(await doneAnew(project, memory)).toEqual([]);
  expect(await doneAnew(changed("q.sql", "SELECT id FROM orders"), memory)).toEqual(
    ["analyse shop.yaml", "plan shop.yaml", "print shop.yaml"].sort(),
  );
  const anew = await doneAnew(changed("modules/step.yaml", `${project.get("modules/step.yaml")} # new`), memory);
  expect(anew.filter((each) => each.startsWith("check"))).toEqual(["check people.yaml", "check shop.yaml"]);
  expect(anew.filter((each) => /(?:more|synthetic)/.test(each))).toEqual([]);
});

test("a file that is gone is forgotten", async () => {
  const memory = new LastLook();
  await doneAnew(project, memory);
  await doneAnew(new Map([...project].filter(([file]) => file !== "more.yaml")), memory);
  expect(await doneAnew(project, memory)).toEqual(expect.arrayContaining(["print more.yaml", "read more.yaml"]));
});

test("what was printed is kept while a mistake is in another file", async () => {
  const memory = new LastLook();
  await doneAnew(project, memory);
  await doneAnew(changed("more.yaml", "name: ["), memory);
  expect((await doneAnew(project, memory)).filter((each) => each.startsWith("print"))).toEqual(["print more.yaml"]);
});
