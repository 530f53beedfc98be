import type { WorkerCode } from "../worker-thread.ts";

export const code: WorkerCode = new URL("./yaml.ts", import.meta.url);
