// Words of records that say how secrets go through a feature. The compiler follows them (compiler/5-analyse/secret-flow); no run reads them.

/** How secrets go through a transform. With neither word, each part of the result may hold any part of the data and the arguments. */
export interface Secrecy {
  /**
   * It makes a hash, a signature or cipher text, out of which nobody can tell the data and its arguments. A list: these arguments alone.
   */
  readonly hides?: true | readonly string[];
  /** Its arguments are paths of what it keeps or removes, or that of the value which it gives. */
  readonly chooses?: "kept" | "removed" | "value";
}

/** Ways to fields of an action whose values others get to see or keep. Of an address it is the part behind the question mark (`query`). */
export type Reveals = Readonly<
  Partial<Record<"query" | "topic" | "channel" | "message" | "mail" | "state" | "metric", readonly (readonly string[])[]>>
>;
