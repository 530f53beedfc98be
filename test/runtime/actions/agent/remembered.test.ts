import { afterEach, beforeEach, expect, test } from "vitest";
import { remember } from "#runtime/features/actions/agent/memory.ts";
import { createHost, type Host } from "#runtime/process/host.ts";
import type { Act } from "#runtime/run/run.ts";
import { stateOf } from "#runtime/state/open.ts";

// Messages of a conversation are appended once, also when the process has ended just after it was appended (spec/surfaces 15.1).

const place = { namespace: "desk", key: "talk" };
const before = [{ role: "user", content: "My name is Ann." } as const, { role: "assistant", content: "Hello Ann." } as const];
const said = [{ role: "user", content: "Who am I?" } as const, { role: "assistant", content: "Ann." } as const];

let host: Host;
beforeEach(() => {
  host = createHost({ env: {} });
});
afterEach(() => host.close());

/** An action of a run that this process has begun, or another one. */
const actOf = (isResumed: boolean): Act =>
  ({ run: { host, shared: {}, config: { name: "desk" }, interface: {}, journal: { isResumed } } }) as unknown as Act; // all that is read

async function appended(isResumed: boolean): Promise<unknown> {
  const store = stateOf(host);
  const version = (await store.set(place, [...before], {})) ?? 0;
  const memory = { messages: before, version, kept: { place, most: 40, ttl: 60_000 } };
  await remember(actOf(false), memory, said);
  await remember(actOf(isResumed), memory, said);
  return (await store.get(place))?.value;
}

test("a run that goes on knows what it has appended", async () => {
  expect(await appended(true)).toEqual([...before, ...said]);
});

test("another run that says the same appends it", async () => {
  expect(await appended(false)).toEqual([...before, ...said, ...said]);
});

test("a run that goes on appends behind what others have said", async () => {
  const store = stateOf(host);
  const version = (await store.set(place, [...before], {})) ?? 0;
  const other = { role: "user", content: "Somebody else." } as const;
  await store.set(place, [...before, other], {});
  await remember(actOf(true), { messages: before, version, kept: { place, most: 40, ttl: 60_000 } }, said);
  expect((await store.get(place))?.value).toEqual([...before, other, ...said]);
});
