/** The version that is served, in a word: the link puts the hash of its modules in the place of this file. */
export const bundle = "unlinked";
