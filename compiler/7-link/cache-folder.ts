import { homedir } from "node:os";
import { join } from "node:path";

/** The folder in which programs of this user keep files that they can make again. */
export function cacheFolder(env: Readonly<Record<string, string | undefined>> = process.env): string {
  const { XDG_CACHE_HOME, LOCALAPPDATA } = env;
  if (process.platform === "win32") return join(LOCALAPPDATA ?? join(homedir(), "AppData", "Local"), "pipewright", "cache");
  if (process.platform === "darwin") return join(homedir(), "Library", "Caches", "pipewright");
  return join(XDG_CACHE_HOME || join(homedir(), ".cache"), "pipewright");
}
