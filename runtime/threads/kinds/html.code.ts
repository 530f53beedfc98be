import type { WorkerCode } from "../worker-thread.ts";

export const code: WorkerCode = new URL("./html.ts", import.meta.url);
