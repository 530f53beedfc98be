import type { FromFile } from "../../files/settings-file.ts";

/** Wrong use of the command line: status 3. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** Gives a file that a flag names. If it does not exist, the call is wrong: throws `UsageError`, whatever else is unmet. */
export function named<V>(read: FromFile<V>): FromFile<V> {
  if ("problem" in read && read.isMissing === true) throw new UsageError(read.problem);
  return read;
}
