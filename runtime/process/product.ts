/** What this is, for those who ask over a protocol. A test compares it with package.json. */
export const product = { name: "pipewright", version: "0.1.0" } as const;
