/** The name and the version of pipewright, for clients that ask over a protocol. A test compares it with package.json. */
export const product = { name: "pipewright", version: "0.1.0" } as const;
