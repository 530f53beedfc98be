import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { PostgresBus } from "#runtime/bus/postgres-bus.ts";
import { createHost } from "#runtime/process/host.ts";
import { PostgresStore } from "#runtime/store/postgres-store.ts";
import { type BusCommand, type BusHeard, type BusSaid, lengthOfBlock } from "./bus-words.ts";

// Runs in a process of its own: one node of the bus, which publishes and writes down what it hears, in the order in which it hears it.

const [, , database = "", name = ""] = process.argv;

/** Characters beside the number of a message, so that it has about 250 bytes. */
const filler = "x".repeat(200);

/** Milliseconds between two looks at what is due. */
const turnMs = 10;

const say = (said: BusSaid): void => void process.send?.(said);
const host = createHost({
  env: {},
  log: (level, msg, fields) => {
    if (level !== "info") say({ line: `${name}: ${msg} ${JSON.stringify(fields ?? {})}` });
  },
});
const store = new PostgresStore(database, () => undefined);
const bus = new PostgresBus({ host, store, release: () => store.close() });

/** The sequence so far. */
const sequence = createHash("sha256");
const blocks: string[] = [];
/** The last number of each publisher. */
const last = new Map<string, number>();
const delays: number[] = [];
let [heard, gaps, repeats, early, refused, sent] = [0, 0, 0, 0, 0, 0];

const now = (): number => performance.timeOrigin + performance.now();

function note(body: string, when: string): void {
  // Without the others a node hears its own messages early. They have their place in the order when they come late.
  if (when === "early") {
    early += 1;
    return;
  }
  const [publisher = "", digits = "", at = ""] = body.slice(1).split(" ", 3);
  const number = Number(digits);
  const expected = (last.get(publisher) ?? 0) + 1;
  if (number < expected) repeats += 1;
  if (number > expected) gaps += number - expected;
  last.set(publisher, Math.max(number, expected - 1));
  sequence.update(`${publisher} ${digits};`);
  heard += 1;
  if (heard % lengthOfBlock === 0) blocks.push(sequence.copy().digest("base64url").slice(0, 12));
  if (heard % 20 === 0) delays.push(now() - Number(at));
}

bus.follow("load", { hear: ({ body, when }) => note(body, when), restore: () => undefined });

/** Publishes so many messages a second; what finds no room in the queue waits. */
async function publish(perSecond: number, seconds: number): Promise<void> {
  const began = performance.now();
  const all = Math.round(perSecond * seconds);
  while (sent < all) {
    const due = Math.min(all, Math.floor(((performance.now() - began) * perSecond) / 1_000));
    // A message of a machine that is too slow for the rate is counted once, however often it finds no room.
    let isFull = false;
    while (sent < due && !isFull) {
      isFull = !bus.publish({ kind: "load", body: JSON.stringify(`${name} ${sent + 1} ${now().toFixed(1)} ${filler}`) });
      if (isFull) refused += 1;
      else sent += 1;
    }
    // Publishing ends after the given time, so that the sustained rate can be measured.
    if (performance.now() - began > seconds * 1_000) break;
    await sleep(turnMs);
  }
  say({ sent, refused });
}

const account = (): BusHeard => {
  const sorted = delays.toSorted((a, b) => a - b);
  const share = (part: number): number => Math.round(sorted[Math.floor((sorted.length - 1) * part)] ?? 0);
  const hash = sequence.copy().digest("base64url").slice(0, 12);
  const { lost } = bus.report;
  return { heard, gaps, repeats, early, lost, hash, blocks, delay: { p50: share(0.5), p99: share(0.99), most: share(1) } };
};

process.on("message", (command: BusCommand) => {
  if ("publish" in command) void publish(command.publish, command.seconds);
  else if ("count" in command) say({ count: heard });
  else if ("account" in command) say({ account: account() });
  else void bus.close().then(() => process.exit(0));
});
process.on("disconnect", () => process.exit(1));
await bus.join();
say({ source: bus.source });
