// `pipewright/runtime`: the one import of printed modules, and the only public part of the runtime. Names in snake_case are words of the
// YAML, and of records in the plan (`fill`, `judge`, `reading`); all others are in camelCase. The files of this folder only name functions
// of other files, so that a bundle carries no more than its modules use. `npm run gen` reads their lines.
export * from "./around.ts";
export * from "./contract.ts";
export * from "./features.ts";
export * from "./jq.ts";
export * from "./response.ts";
export * from "./start.ts";
export * from "./steps.ts";
export * from "./stores.ts";
export * from "./tests.ts";
export * from "./texts.ts";
export * from "./triggers.ts";
export * from "./types.ts";
export * from "./values.ts";
