/** A rule of imports. The rules keep each part readable without the parts above it. Every import without a rule is forbidden. */
export interface Rule {
  /** Globs of files; `packages` stands for npm packages, `node` for modules of Node. */
  readonly files: string;
  /** The files that their code may import. */
  readonly may: readonly string[];
  /** Further files from which they may import types only. */
  readonly types?: readonly string[];
}
