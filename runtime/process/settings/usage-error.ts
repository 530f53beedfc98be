import type { FromFile } from "../../files/settings-file.ts";

/** Wrong use of the command line: status 3. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** A file that a flag names. When it is not there, the call is wrong, whatever else keeps the process from starting. */
export function named<V>(read: FromFile<V>): FromFile<V> {
  if ("problem" in read && read.isMissing === true) throw new UsageError(read.problem);
  return read;
}
