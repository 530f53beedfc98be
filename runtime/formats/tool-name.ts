/** A name of a tool that every model takes: 64 letters, digits, `_` and `-` at most. */
export const modelToolName = (name: string): string => name.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, 64);
