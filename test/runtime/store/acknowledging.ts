import { writeSync } from "node:fs";
import { createHost } from "#runtime/process/host.ts";
import { stateOf } from "#runtime/state/open.ts";
import { runsOf } from "#runtime/store/open-runs.ts";

// Runs in a process of its own: writes to a store from many hands at once, and prints what was acknowledged, until it is killed.

const [, , address = "", name = ""] = process.argv;
const host = createHost({ env: { PIPEWRIGHT_DATABASE_URL: address } });
const [runs, state] = [runsOf(host), stateOf(host)];
await runs.attend(name);
const say = (line: string): number => writeSync(1, `${line}\n`);

async function hand(number: number): Promise<void> {
  for (let i = 0; ; i++) {
    const id = `${name}-${number}-${i}`;
    await runs.create({ id, config: "c", interface: "i", bundle: "b", plan: "p", input: id, seed: "s", lease: { node: name, ms: 60_000 } });
    say(`created ${id}`);
    await runs.checkpoint({ id, epoch: 1 }, [{ path: "A", output: `"${id}"` }], {});
    say(`settled ${id}`);
    await state.set({ namespace: "n", key: id }, i, {});
    say(`stored ${id}`);
  }
}

await Promise.all(Array.from({ length: 8 }, (_, number) => hand(number)));
