import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cacheFolder } from "../7-link/cache-folder.ts";
import { nodePackages } from "../7-link/node-packages.ts";
import type { Terminal } from "./project.ts";

/**
 * Tells the user at a terminal that this Node is not the tested version, once for each version. Nothing is printed in CI or with `--quiet`.
 */
export function sayOtherNode(args: readonly string[], terminal: Terminal, running: string = process.versions.node): void {
  const { version } = nodePackages["linux-x64"];
  if (running === version || terminal.isLive !== true || terminal.env.CI || args.includes("--quiet")) return;
  if (wasTold(running, terminal)) return;
  terminal.err(`this is Node ${running}; pipewright is tested on ${version}, of which executables are made. Said once\n`);
}

/** Notes that the message was printed; true if it was already noted. If the note cannot be stored, the message is printed again. */
function wasTold(running: string, { env }: Terminal): boolean {
  const folder = cacheFolder(env);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(join(folder, `told-of-node-${running}`), "", { flag: "wx" });
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EEXIST"; // node:fs throws only such errors
  }
}
