/** Wrong use of the command line: status 3. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
