import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cacheFolder } from "../7-link/cache-folder.ts";
import { nodePackages } from "../7-link/node-packages.ts";
import type { Terminal } from "./project.ts";

/**
 * Tells whoever sits at a terminal that another Node runs than the one that pipewright is tested on: once for each version of it. Neither
 * CI nor `--quiet` hears of it.
 */
export function sayOtherNode(args: readonly string[], terminal: Terminal, running: string = process.versions.node): void {
  const { version } = nodePackages["linux-x64"];
  if (running === version || terminal.isLive !== true || terminal.env.CI || args.includes("--quiet")) return;
  if (wasTold(running, terminal)) return;
  terminal.err(`this is Node ${running}; pipewright is tested on ${version}, of which executables are made. Said once\n`);
}

/** Notes that it is told now. Where no note can be kept, it is told again. */
function wasTold(running: string, { env }: Terminal): boolean {
  const folder = cacheFolder(env);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(join(folder, `told-of-node-${running}`), "", { flag: "wx" });
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EEXIST"; // node:fs throws nothing else
  }
}
