import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { askDatabases } from "../../../compiler/database/index.ts";
import { planTexts } from "../../../compiler/pipeline.ts";
import { run, runIn } from "../../harness/terminal.ts";

// The command `check --database` (spec/command-line 13): what it prints, how it ends, and servers that do not answer.

const folder = mkdtempSync(join(tmpdir(), "pipewright-check-database-"));
afterAll(() => rmSync(folder, { recursive: true }));

const config = (address: string, query: string, driver = "sqlite"): string => `name: shop
global: { databases: { main: { driver: ${driver}, conn_string: "${address}" } } }
interfaces:
  users:
    output: cli
    actions:
      - name: Users
        database: main
        query: |
          ${query}
      - { name: Out, json_output: { first: "a|Users::[0].name|" } }
`;

beforeAll(() => {
  const db = new DatabaseSync(join(folder, "shop.db"));
  db.exec("CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT NOT NULL)");
  db.close();
  const address = `sqlite:${join(folder, "shop.db")}`;
  writeFileSync(join(folder, "right.yaml"), config(address, "SELECT id, name FROM users"));
  writeFileSync(join(folder, "wrong.yaml"), config(address, "SELECT id, nmae FROM users"));
  writeFileSync(join(folder, "variable.yaml"), config("a|env::SHOP_DATABASE|", "SELECT id, name FROM users"));
  writeFileSync(join(folder, "data.yaml"), config("a|body::database|", "SELECT id, name FROM users"));
});

describe("the command", () => {
  test("ends with 0 when the server takes all queries, and says what it was asked", async () => {
    const { status, out, err } = await run(folder, "check", "right.yaml", "--database");
    expect([status, out]).toEqual([0, "1 config checked, nothing to report\n"]);
    expect(err).toContain("database main of right.yaml: 1 query described\n");
  });

  test("ends with 1 at a column that is not there, which it would not know by the text", async () => {
    expect((await run(folder, "check", "wrong.yaml")).status).toBe(0);
    const { status, out } = await run(folder, "check", "wrong.yaml", "--database", "--format", "json");
    expect(status).toBe(1);
    const [unknown] = JSON.parse(out).diagnostics;
    expect(unknown).toMatchObject({ code: "PW463", line: 10, column: 22, hint: "there are id, name", fix: { text: "name" } });
  });

  test.each([
    ['|\n          SELECT id, "nmae" FROM users', 10, 23],
    [JSON.stringify('SELECT id, "nmae" FROM users'), 9, 30],
    [JSON.stringify('SELECT id, u."nmae" FROM users AS u'), 9, 32],
  ])("a name in quotes is named without them: %j", async (query, line, column) => {
    writeFileSync(join(folder, "quoted.yaml"), config(`sqlite:${join(folder, "shop.db")}`, "").replace("|\n          \n", `${query}\n`));
    const { out } = await run(folder, "check", "quoted.yaml", "--database", "--format", "json");
    const [unknown] = JSON.parse(out).diagnostics;
    const message = "the database 'main' knows no column 'nmae' (did you mean 'name'?)";
    expect(unknown).toMatchObject({ code: "PW463", line, column, message, fix: { text: "name" } });
  });

  test("warns when the address is not set, which fails only a strict check", async () => {
    const { status, out } = await run(folder, "check", "variable.yaml", "--database");
    expect(status).toBe(0);
    expect(out).toContain("variable.yaml:2:24: warning PW469: the database 'main' could not be asked: conn_string is not set");
    expect((await run(folder, "check", "variable.yaml", "--database", "--strict")).status).toBe(1);
  });

  test("takes the address from the environment, as a service does", async () => {
    const environment = { SHOP_DATABASE: `sqlite:${join(folder, "shop.db")}` };
    const { status, err } = await runIn(environment, folder, "check", "variable.yaml", "--database");
    expect(status).toBe(0);
    expect(err).toContain("1 query described");
  });

  test("an address never comes from the data of a run", async () => {
    const { status, out, err } = await run(folder, "check", "data.yaml", "--database");
    expect(status).toBe(1);
    expect(out).toContain("error PW");
    expect(err).not.toContain("described");
  });

  test("--help names it", async () => {
    expect((await run(folder, "check", "--help")).out).toMatch(
      /--database\s+ask the servers of the databases about queries,\s+without running them/,
    );
  });
});

describe("servers", () => {
  const sockets = new Set<Socket>();
  const servers: Server[] = [];
  const listen = async (talk: (socket: Socket) => void): Promise<number> => {
    const server = createServer((socket) => {
      sockets.add(socket);
      socket.on("error", () => undefined);
      talk(socket);
    });
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return (server.address() as AddressInfo).port;
  };
  afterAll(() => {
    for (const socket of sockets) socket.destroy();
    for (const server of servers) server.close();
  });

  const problemOf = async (driver: string, conn_string: string, limit?: number): Promise<string | undefined> => {
    const { plans } = planTexts([{ file: "shop.yaml", text: config("a|env::A|", "SELECT 1 AS name", driver) }]);
    const [answer] = await askDatabases(plans, async () => ({ conn_string }), limit);
    expect(answer?.answerCount).toBe(0);
    return answer?.problem;
  };

  test.each(["postgres", "mysql"])("a server of %s that never answers is given up", async (driver) => {
    const port = await listen(() => undefined);
    expect(await problemOf(driver, `${driver}://u:hunter22@127.0.0.1:${port}/x`, 50)).toBe("no answer within 50 ms");
  });

  test.each(["postgres", "mysql"])("what a hostile server of %s says is cut, and shows no password", async (driver) => {
    const words = `postgres://u:hunter22@host hunter22 ${"x".repeat(10_000)}`;
    const port = await listen((socket) => {
      if (driver === "postgres") socket.once("data", () => socket.end(errorOfPostgres(words)));
      else socket.end(errorOfMysql(words));
    });
    const problem = await problemOf(
      driver,
      `${driver}://u:hunter22@127.0.0.1:${port}/x?${driver === "mysql" ? "ssl-mode=disabled" : "sslmode=disable"}`,
    );
    expect(problem).toMatch(/^\*\*\* \*\*\* x+…$/);
    expect(problem?.length).toBeLessThan(320);
  });

  test("nobody listens", async () => {
    const port = await listen(() => undefined);
    await new Promise((resolve) => servers.at(-1)?.close(resolve));
    expect(await problemOf("postgres", `postgres://u:hunter22@127.0.0.1:${port}/x`)).toBe(`connect ECONNREFUSED 127.0.0.1:${port}`);
  });

  test("a file that is not there is not made", async () => {
    expect(await problemOf("sqlite", `sqlite:${join(folder, "none.db")}`)).toBe("the file is not there");
    expect(await problemOf("sqlite", "sqlite::memory:")).toBe("a database in memory has no tables before it runs");
    writeFileSync(join(folder, "text.db"), "no database at all".repeat(100));
    expect(await problemOf("sqlite", `sqlite:${join(folder, "text.db")}`)).toBe("file is not a database");
  });

  test("a kind that is not asked says so", async () => {
    expect(await problemOf("mssql", "mssql://u:p@127.0.0.1/x")).toBe("check asks no servers of mssql");
  });
});

function errorOfPostgres(words: string): Buffer {
  const fields = Buffer.from(`SFATAL\0VFATAL\0C28000\0M${words}\0\0`);
  const head = Buffer.from("E\0\0\0\0");
  head.writeInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, fields]);
}

function errorOfMysql(words: string): Buffer {
  const body = Buffer.concat([Buffer.from([0xff, 0x10, 0x04]), Buffer.from(words)]);
  return Buffer.concat([Buffer.from([body.length & 255, (body.length >> 8) & 255, body.length >> 16, 0]), body]);
}
