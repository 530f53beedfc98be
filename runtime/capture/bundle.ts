/** The hash of the bundle that is served: the link replaces this file by the hash of its modules. */
export const bundle = "unlinked";
