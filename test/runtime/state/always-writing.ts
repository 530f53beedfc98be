import { LocalStore } from "#runtime/state/local.ts";
import { SqliteRows } from "#runtime/state/sqlite.ts";
import { SqliteStore } from "#runtime/store/sqlite-store.ts";

// Writes to a shared file again and again, several writes at a time, until the process is killed.

const [, , file = "", name = ""] = process.argv;

const store = new LocalStore(new SqliteRows(new SqliteStore(file, 1_000_000, Date.now)), () => Date.now());

async function writer(key: string): Promise<void> {
  for (let i = 0; ; i++) {
    await store.set({ namespace: "n", key }, i, {});
    if (i === 0) process.stdout.write("writes\n");
  }
}

await Promise.all(["a", "b", "c"].map((each) => writer(`${name}${each}`)));
