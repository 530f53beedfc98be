/** A rule of imports, so that a part can be read without the parts above it. Every import without a rule is forbidden. */
export interface Rule {
  /** Globs of files; `packages` are those of npm, `node` is what Node has. */
  readonly files: string;
  /** The files that their code may import. */
  readonly may: readonly string[];
  /** The files that they may import for their types alone, besides. */
  readonly types?: readonly string[];
}
