import { configs, docs, environment, version } from "pipewright:configs";
import { mapStacks } from "#runtime/lib/stack.ts";
import { start } from "#runtime/server.ts";

// Main of every executable; the linker supplies `pipewright:configs`.
mapStacks();
start(configs, { environment, version, docs });
