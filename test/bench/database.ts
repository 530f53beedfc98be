import pg from "pg";

const server = process.env.PIPEWRIGHT_TEST_POSTGRES ?? "postgres://postgres@127.0.0.1:5432/postgres";
/** Two benchmarks may run at the same time. */
const name = `pipewright_bench_${process.pid}`;

const fill = `
  create table items (id int primary key, name text, price float8, qty int, cat int);
  insert into items select i, 'Item ' || i, (i * 37 % 500) / 4.0 + 1, i % 9 + 1, i % 50 from generate_series(1, 20000) i;
  create index on items (cat, id);
  analyze items;
`;

/** A database of our own on the server that the tests use. */
export interface Database {
  readonly address: string;
  readonly drop: () => Promise<void>;
}

/** Makes and fills the database. Undefined, with a line on stderr, when no server answers. */
export async function openDatabase(): Promise<Database | undefined> {
  const admin = new pg.Client({ connectionString: server, connectionTimeoutMillis: 3000 });
  try {
    await admin.connect();
  } catch {
    console.error(`w6 is skipped: no PostgreSQL at ${new URL(server).host}; set PIPEWRIGHT_TEST_POSTGRES`);
    return undefined;
  }
  await admin.query(`create database ${name}`);
  const address = new URL(name, server).href;
  const client = new pg.Client(address);
  await client.connect();
  await client.query(fill);
  await client.end();
  const drop = async (): Promise<void> => {
    await admin.query(`drop database ${name} with (force)`);
    await admin.end();
  };
  return { address, drop };
}
