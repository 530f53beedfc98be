import { parentPort } from "node:worker_threads";
import { look } from "./look.ts";
import type { Ask } from "./message.ts";

// The thread in which projects are looked at as a whole, so that the server answers meanwhile.

parentPort?.on("message", (ask: Ask) => parentPort?.postMessage(look(ask, process.env)));
