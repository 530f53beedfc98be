import { enableCompileCache } from "node:module";
import { join } from "node:path";
import { cacheFolder } from "../7-link/cache-folder.ts";
import { status } from "./status.ts";

/** Commands that run a link. A link is new each time, so its code would only fill the cache. */
const linking: readonly (string | undefined)[] = ["dev", "run", "serve", "test", "verify"];

/**
 * Runs the `pipewright` command and gives its exit status. Node caches the compiled form of our modules in the folder of this user, because
 * reading it is much faster than compiling. If the cache cannot be used, the command starts without it.
 */
export async function main(args: readonly string[]): Promise<number> {
  if (!isInFolder()) {
    process.stderr.write("pipewright: the working folder is gone; change to another one\n");
    return status.usage;
  }
  if (!linking.includes(args[0])) enableCompileCache(join(cacheFolder(), "compiled"));
  const command = await import("./main.ts");
  return command.main(args);
}

/** False if the working directory was removed while the shell was in it. */
function isInFolder(): boolean {
  try {
    return process.cwd() !== "";
  } catch {
    return false;
  }
}
