import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { until } from "../../harness/until.ts";
import { OwnPostgres, postgresPrograms } from "../cluster/own-postgres.ts";
import { writePrinted } from "../cluster/service.ts";
import { Account, config, expectFull, expectRoom, isUnavailable } from "./account.ts";
import { DiskService } from "./disk-service.ts";
import { mayMount, SmallDisk } from "./small-disk.ts";

// The disk of PostgreSQL is full (F7).

const programs = postgresPrograms();
const canMount = mayMount();
if (programs === undefined) console.log("skipped: no initdb of PostgreSQL, so that the disk of none can be full");
else if (!canMount) console.log("skipped: no file system can be mounted here, so that no disk can be full");

test.runIf(canMount && programs !== undefined)("runs are refused at once, and taken again when there is room", async () => {
  const modules = mkdtempSync(join(tmpdir(), "pipewright-disk-modules-"));
  const disk = new SmallDisk(128, 10_000);
  const postgres = await OwnPostgres.start(programs ?? "", undefined, disk.folder);
  let service: DiskService | undefined;
  try {
    service = await DiskService.start(await writePrinted(modules, "shop", config), postgres.url);
    const account = new Account(service);
    for (let n = 0; n < 5; n++) expect((await account.order()).status).toBe(202);
    disk.fill();
    expect(await account.refused()).toMatchObject(isUnavailable);
    expect(await account.refusedTimes()).toBeLessThan(1_000);
    expect(await service.post("/plain")).toMatchObject({ status: 200 });
    expectFull(service);
    disk.makeRoom();
    await account.taken();
    const ids = async (sql: string): Promise<unknown[]> => (await postgres.ask(sql)).map(({ id }) => id);
    const accepted = [...account.accepted].sort();
    await until(async () => expect((await ids("SELECT id FROM pw_runs WHERE status = 'done'")).toSorted()).toEqual(accepted));
    expect(await ids("SELECT id FROM pw_runs WHERE status NOT IN ('done', 'cancelled')")).toEqual([]);
    await expectRoom(service);
    expect(await service.end()).toBe(0);
  } finally {
    await service?.end("SIGKILL");
    await postgres.close();
    disk.close();
    rmSync(modules, { recursive: true, force: true });
  }
});
