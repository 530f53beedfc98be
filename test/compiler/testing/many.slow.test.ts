import { expect, it } from "vitest";
import { yardstick } from "../../laws/block/yardstick.ts";
import { Project } from "./project.ts";

const config = `name: many
global:
  databases: { main: { driver: sqlite, conn_string: "sqlite:main.db" } }
interfaces:
  item:
    route: /items/:id
    actions:
      - name: Item
        http: { url: "https://stock.test/items/a|params::id|" }
      - name: Kept
        run_when_succeeded: [Item]
        database: main
        query: INSERT INTO items (id, price) VALUES (?, ?) RETURNING id, price
        params: [a|params::id|, a|Item::body.price|]
        response_on_success: { body: a|Kept| }
`;

const count = 500;

const tests = Array.from(
  { length: count },
  (_, i) => `  - name: item ${i}
    interface: item
    given: { params: { id: ${i} }, stubs: { GET https://stock.test/items/${i}: { body: { price: ${i * 2} } } } }
    expect:
      body: [{ id: ${i}, price: ${i * 2} }]
      effects: [GET https://stock.test/items/${i}, { query: INSERT *, params: ["${i}", ${i * 2}] }]
`,
);

const file = `given: { databases: { main: { setup: "CREATE TABLE items (id INTEGER, price INTEGER)" } } }
tests:
${tests.join("")}`;

it("500 tests take less than five seconds", async () => {
  using project = new Project({ "many.yaml": config, "many.test.yaml": file });
  // The time of the processor in units of a work that takes 28 ms: a machine that is slow or busy stretches any other.
  const unit = yardstick();
  const before = process.cpuUsage();
  const { status, out } = await project.run("test", ".", "--format", "json");
  const { user, system } = process.cpuUsage(before);
  console.log(`500 tests take ${Math.round((user + system) / 1_000)} ms of the processor`);
  expect(status).toBe(0);
  expect(JSON.parse(out)).toMatchObject({ passed: count, failed: 0 });
  expect((user + system) / 1_000 / unit).toBeLessThan(5_000 / 28);
});
