import { configs, docs, enforcement, environment, shown, version } from "pipewright:configs";
import { start } from "#runtime/process/program.ts";
import { mapStacks } from "#runtime/process/stack.ts";

// Main of every executable; the linker supplies `pipewright:configs`.
mapStacks();
start(configs, { environment, version, docs, shown, enforcement });
