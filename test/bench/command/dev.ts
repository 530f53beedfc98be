import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { median } from "../statistics.ts";
import { syntheticConfigs } from "../synthetic.ts";
import { serving } from "../systems.ts";
import { figure, table } from "../table.ts";

/** Milliseconds from a save of one file to the new version that `dev` serves: the best and the median. */
export interface DevReport {
  readonly interfaces: number;
  readonly best: number;
  readonly wall: number;
}

/** Milliseconds, at 1,000 interfaces. */
const goal = 100;

const files = 50;
const saves = 7;

/** Saves one file of a project of 50 again and again, each time with another answer in it. */
export async function benchDev(): Promise<readonly DevReport[]> {
  const reports: DevReport[] = [];
  for (const interfaces of [50, 1000]) reports.push(await saved(interfaces));
  return reports;
}

async function saved(interfaces: number): Promise<DevReport> {
  const folder = mkdtempSync(join(tmpdir(), "pipewright-bench-"));
  const texts = syntheticConfigs(interfaces, files);
  mkdirSync(join(folder, "synthetic"));
  for (const { file, text } of texts) writeFileSync(join(folder, file), text);
  const command = fileURLToPath(new URL("../../../bin/pipewright.mjs", import.meta.url));
  const env = { ...process.env, DATABASE_URL: "postgres://127.0.0.1:1/none", API_KEY: "none" };
  const child = spawn(process.execPath, [command, "dev", "synthetic", ...serving], {
    cwd: folder,
    stdio: ["ignore", "pipe", "ignore"],
    env,
  });
  const kill = (): void => void child.kill();
  process.on("exit", kill);
  const log = createInterface(child.stdout)[Symbol.asyncIterator]();
  const loaded = async (): Promise<void> => {
    for (;;) {
      const { value, done } = await log.next();
      if (done === true) throw new Error("dev ended before it served");
      if (JSON.parse(value).msg === "loaded") return;
    }
  };
  try {
    await loaded();
    const times: number[] = [];
    const [{ file, text } = { file: "", text: "" }] = texts;
    for (let i = 0; i < saves + 2; i++) {
      const began = performance.now();
      writeFileSync(join(folder, file), text.replaceAll("ok: true", `ok: ${i}`));
      await loaded();
      // The first ones warm up: V8 has seen each phase only once.
      if (i >= 2) times.push(performance.now() - began);
    }
    return { interfaces, best: Math.min(...times), wall: median(times) };
  } finally {
    const ended = once(child, "exit");
    kill();
    await ended;
    process.off("exit", kill);
    rmSync(folder, { recursive: true, force: true });
  }
}

export function devTable(reports: readonly DevReport[]): string {
  const rows = reports.map(({ interfaces, best, wall }) => [
    `${interfaces} in ${files} files`,
    figure(best),
    figure(wall),
    interfaces === 1000 ? `${goal} ${best <= goal ? "met" : "MISSED"}` : "",
  ]);
  return table(["from a save to the version that dev serves", "best ms", "median", "goal"], rows);
}
