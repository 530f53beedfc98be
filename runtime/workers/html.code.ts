import type { WorkerCode } from "../lib/worker-thread.ts";

export const code: WorkerCode = new URL("./html.ts", import.meta.url);
