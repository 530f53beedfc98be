import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/**
 * Gives a function that collects garbage among young objects; it is called while no work waits. Compiling a project of 1,000 interfaces
 * makes 60 MB of young objects, for which the collector would otherwise stop the next compilation for up to 20 ms.
 */
export function youngCollector(): () => void {
  setFlagsFromString("--expose-gc");
  // Only contexts that are created after the flag is set have the function `gc`.
  const collect: NodeJS.GCFunction = runInNewContext("gc");
  return () => collect({ type: "minor" });
}
