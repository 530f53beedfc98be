import { expect, it } from "vitest";
import { outcomeOf } from "../../../../compiler/testing/verify/index.ts";
import { Project } from "../project.ts";
import { saying, verified } from "./verified.ts";

const config = `name: orders
global:
  databases: { main: { driver: sqlite, conn_string: "sqlite:main.db" } }
interfaces:
  price:
    method: POST
    route: /price/:sku
    accepts: { example: { count: 2 } }
    actions:
      - name: Stock
        http: { url: "https://stock.test/items/a|params::sku|", headers: { x-key: a|env::STOCK_KEY| } }
      - name: Row
        run_when_succeeded: [Stock]
        database: main
        query: SELECT id FROM orders WHERE sku = ?1 AND price > 7
        params: [a|params::sku|]
      - name: Answer
        json_output: { price: a|Stock::body.price->default(13)|, rows: a|Row| }
`;

const tests = `tests:
  - name: tells the price
    interface: price
    given:
      params: { sku: tea }
      stubs: { GET https://stock.test/items/tea: { body: { price: 4 } } }
      databases: { main: { setup: "CREATE TABLE orders (id INT, sku TEXT, price INT)" } }
  - name: asks a real database
    interface: price
    given: { params: { sku: tea }, databases: { main: { url: "sqlite:/nowhere/at/all.db" } } }
`;

it("tests, examples and generated requests are alike, and the seed is told", async () => {
  using project = new Project({ "orders.yaml": config, "orders.test.yaml": tests });
  const { status, out } = await project.run("verify", ".", "--runs", "20", "--seed", "5");
  expect([status, out.replace(/\d+ ms|\d+\.\d s|\d+ answered/g, "N")]).toEqual([
    0,
    expect.stringMatching(/✓ tells the price.*- asks a real database.*✓ the examples of price.*✓ price: generated requests.*20 runs/s),
  ]);
  expect(out).toContain("3 passed, 1 skipped");
  expect(out).toContain("seed 5: --seed 5 --runs 20 makes the same requests again");
});

it("an interface of which no run ended in its share of the time is skipped", () => {
  expect(outcomeOf({ runs: 0, found: undefined })).toBe("skipped");
  expect(outcomeOf({ runs: 1, found: undefined })).toBe("passed");
});

it("without a seed one is chosen, and told", async () => {
  using project = new Project({ "orders.yaml": config });
  const first = await project.run("verify", ".", "--runs", "1");
  const second = await project.run("verify", ".", "--runs", "1");
  const seedIn = (text: string): string | undefined => /^seed (\d+):/m.exec(text)?.[1];
  expect(seedIn(first.out)).toBeDefined();
  expect(seedIn(second.out)).not.toBe(seedIn(first.out));
});

it("a difference names interface, action and place, and is the smallest one, as a test that runs", async () => {
  using project = new Project({ "orders.yaml": config });
  const { status, out } = await verified(project, {}, saying("price > 7", "price > 8"));
  expect(status).toBe(1);
  expect(out).toContain("orders.yaml:12:15: action Row of price: the printed module and the interpreter differ");
  expect(out).toMatch(/^ {2}- .*price > 7$/m);
  expect(out).toMatch(/^ {2}\+ .*price > 8$/m);
  const smallest = await noteOf(project);
  const again = await noteOf(project);
  expect(again).toBe(smallest);
  const test = smallest.slice(smallest.indexOf("tests:"));
  expect(test).toContain("SELECT id FROM orders WHERE sku = ?1 AND price > 7");
  project.write("orders.test.yaml", test);
  const ran = await project.run("test", "orders.test.yaml");
  expect([ran.status, ran.out]).toEqual([0, expect.stringContaining("1 passed")]);
});

/** The smallest difference in the report for programs. */
async function noteOf(project: Project): Promise<string> {
  const { out } = await verified(project, { format: "json" }, saying("price > 7", "price > 8"));
  const { tests }: { readonly tests: readonly { readonly failures?: readonly { readonly note?: string }[] }[] } = JSON.parse(out);
  return tests.flatMap(({ failures = [] }) => failures.flatMap(({ note }) => note ?? []))[0] ?? "";
}

it("an interface that is always walked is printed for the comparison", async () => {
  using project = new Project({ "orders.yaml": config.replace("    route:", "    disable_fastpath: true\n    route:") });
  expect((await verified(project, {}, saying("price > 7", "price > 8"))).status).toBe(1);
});

it("the report is one that CI reads", async () => {
  using project = new Project({ "orders.yaml": config });
  const { status, out, err } = await verified(project, { format: "junit", runs: "5" }, saying("13", "14"));
  expect([status, err]).toEqual([1, "seed 5: --seed 5 --runs 5 makes the same requests again\n"]);
  expect(out).toMatch(/<failure message="action Answer of price: .*as a contract test:/s);
});

it.each([
  [["--runs", "-1"], "--runs takes a whole number from 0 to 1000000, not '-1'"],
  [["--seed", "1e3"], "--seed takes a whole number from 0 to 2147483647, not '1e3'"],
  [["--time", "0"], "--time takes a whole number from 1 to 86400, not '0'"],
  [["--filter", "nowhere"], "no interface or test has 'nowhere' in its name or file"],
])("%j is wrong usage", async (flags, message) => {
  using project = new Project({ "orders.yaml": config });
  const { status, err } = await project.run("verify", ".", ...flags);
  expect([status, err]).toEqual([3, `pipewright: ${message}\n`]);
});

it("a mistake of the configuration is shown, and nothing runs", async () => {
  using project = new Project({ "orders.yaml": config.replace("a|params::sku|", "a|nothing::sku|") });
  expect(await project.run("verify", ".")).toMatchObject({ status: 1, out: "", err: expect.stringContaining("orders.yaml:11") });
});

it("time is a bound", async () => {
  using project = new Project({ "orders.yaml": config });
  const { status, out } = await project.run("verify", ".", "--runs", "1000000", "--time", "2");
  expect(status).toBe(0);
  // On a busy machine no run may end in time.
  expect(Number(/\((\d+) runs/.exec(out)?.[1] ?? 0)).toBeLessThan(1_000_000);
});
