import { Bytes } from "./buffer.ts";

// Bytes under the name that they have in Node, where it is a global. Imported before everything that could ask for it.
Object.assign(globalThis, { Buffer: Bytes });
