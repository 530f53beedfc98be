import { writeSync } from "node:fs";
import { LocalStore } from "#runtime/state/local.ts";
import { SqliteRows } from "#runtime/state/sqlite.ts";
import { SqliteStore } from "#runtime/store/sqlite-store.ts";

// Runs in a process of its own: begins to remember many identities, says so when the first of them are written, and stops there.

const store = new LocalStore(new SqliteRows(new SqliteStore(process.argv[2] ?? "", 1_000_000, Date.now)), () => 0);
const ids = Array.from({ length: 40_000 }, (_, i) => `id ${i}`);
void store.seen({ namespace: "n", key: "k" }, ids, { ttl: 1_000, cap: 1 });
let turns = 0;
const look = (): void => {
  turns += 1;
  // Half of the steps look for identities, the other half writes them.
  if (turns < 12) {
    setImmediate(look);
    return;
  }
  writeSync(1, "half done\n");
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
};
setImmediate(look);
