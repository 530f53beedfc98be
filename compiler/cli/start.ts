import { enableCompileCache } from "node:module";
import { join } from "node:path";
import { cacheFolder } from "../7-link/cache-folder.ts";
import { status } from "./status.ts";

/** Commands that run a link, which is written anew each time: its code would fill the cache for nothing. */
const linking: readonly (string | undefined)[] = ["dev", "run", "serve", "test", "verify"];

/**
 * Runs the `pipewright` command and gives its exit status. Node keeps what V8 has made of our modules in the folder of this user: reading
 * that takes a fraction of the time of compiling. Where nothing can be kept, the command starts as it would without.
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

/** A folder may be removed while a shell stands in it. */
function isInFolder(): boolean {
  try {
    return process.cwd() !== "";
  } catch {
    return false;
  }
}
