import { randomBytes } from "node:crypto";
import { DatabaseSync } from "node:sqlite";
import { expect } from "vitest";
import { createHost } from "#runtime/process/host.ts";
import { runsOf } from "#runtime/store/open-runs.ts";
import { until } from "../../harness/until.ts";
import type { Answered, DiskService } from "./disk-service.ts";

/** The service whose store is on a small disk. */
export const config = `
name: shop
interfaces:
  order:
    method: POST
    durable: true
    respond: early
    actions:
      - { name: Keep, json_output: a|body::pad| }
  sum: { method: POST, durable: true, actions: [{ name: Sum, json_output: 2 }] }
  call:
    method: POST
    durable: true
    respond: early
    actions:
      - { name: Call, http: { method: POST, url: "a|env::UPSTREAM|/call" } }
  plain: { method: POST, actions: [{ name: A, json_output: 1 }] }
`;

/** Lines of the log. */
export const lines = {
  away: "error durable runs: the store does not answer: ",
  back: "info durable runs: the store answers again",
} as const;

/** The answer of a durable interface while its store takes nothing. */
export const isUnavailable = { status: 503, body: '{"error":"run_store_unavailable"}', retryAfter: "1" };

/**
 * Expects that each outage in the log names a full disk and ends before the next one begins. There may be several: a disk without room for
 * a row may have room for a smaller one.
 */
export function expectFull({ durableLines }: DiskService): void {
  expect(durableLines).not.toEqual([]);
  for (const [index, line] of durableLines.entries()) {
    if (index % 2 === 1) expect(line).toBe(lines.back);
    else expect(line).toMatch(/^error durable runs: the store .*: its disk is full, give it room/);
  }
}

/** Expects outages by a full disk, and that the last one has ended. */
export async function expectRoom(service: DiskService): Promise<void> {
  await until(() => expect(service.durableLines.at(-1)).toBe(lines.back));
  expectFull(service);
}

/** Accounts for runs by the answers of their callers. */
export class Account {
  readonly accepted = new Set<string>();
  readonly #service: DiskService;

  constructor(service: DiskService) {
    this.#service = service;
  }

  /** Asks for a run whose request has so many characters. */
  async order(characters = 20_000): Promise<Answered> {
    const answer = await this.#service.post("/order", { pad: randomBytes(characters / 2).toString("hex") });
    if (answer.status === 202) this.accepted.add(JSON.parse(answer.body).request_id);
    return answer;
  }

  /** Asks until it is refused; gives the refusal. */
  async refused(): Promise<Answered> {
    for (;;) {
      const answer = await this.order();
      if (answer.status !== 202) return answer;
    }
  }

  /** Asks ten times, in vain; gives the milliseconds of a usual refusal. */
  async refusedTimes(): Promise<number> {
    const times: number[] = [];
    for (let n = 0; n < 10; n++) {
      const refusal = await this.order();
      expect(refusal).toMatchObject(isUnavailable);
      times.push(refusal.ms);
    }
    return times.sort((a, b) => a - b)[5] ?? Number.NaN;
  }

  /** Asks until it is accepted. */
  taken(): Promise<void> {
    return until(async () => expect((await this.order()).status).toBe(202));
  }
}

/** Waits until each run that was accepted is done in the file; no other run is there, and the file is whole. */
export async function settled(path: string, { accepted }: Account): Promise<void> {
  const file = new DatabaseSync(path);
  try {
    const ids = (): unknown[] =>
      file
        .prepare("SELECT id FROM pw_runs WHERE status = 'done' ORDER BY id")
        .all()
        .map(({ id }) => id);
    await until(() => expect(ids()).toEqual([...accepted].sort()));
    expect(file.prepare("SELECT count(*) AS count FROM pw_runs WHERE status NOT IN ('done', 'cancelled')").get()?.count).toBe(0);
    expect(file.prepare("PRAGMA integrity_check").get()?.integrity_check).toBe("ok");
  } finally {
    file.close();
  }
}

/** Ids of the runs in the file, as a command lists them. */
export async function shown(path: string): Promise<string[]> {
  const host = createHost({ env: { PIPEWRIGHT_DATABASE_URL: `sqlite:${path}` } });
  try {
    const runs = await runsOf(host).list({ limit: 1_000 });
    return runs.filter(({ status }) => status !== "cancelled").map(({ id }) => id);
  } finally {
    await host.close();
  }
}
