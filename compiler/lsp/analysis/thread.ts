import { parentPort } from "node:worker_threads";
import { LastLooks } from "./last-looks.ts";
import { look } from "./look.ts";
import type { Ask } from "./message.ts";

// The thread in which projects are looked at as a whole, so that the server answers meanwhile.

const lastLooks = new LastLooks();

parentPort?.on("message", (ask: Ask) => parentPort?.postMessage(look(ask, process.env, lastLooks.of(ask))));
