import type { WorkerCode } from "../worker-thread.ts";

export const code: WorkerCode = new URL("./jq.ts", import.meta.url);
