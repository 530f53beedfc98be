import { parentPort } from "node:worker_threads";
import { LastLooks } from "./last-looks.ts";
import { look } from "./look.ts";
import type { Ask } from "./message.ts";

// This file runs in the thread that analyses whole projects, so that the server can answer meanwhile.

const lastLooks = new LastLooks();

parentPort?.on("message", (ask: Ask) => parentPort?.postMessage(look(ask, process.env, lastLooks.of(ask))));
