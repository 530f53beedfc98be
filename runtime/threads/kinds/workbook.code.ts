import type { WorkerCode } from "../worker-thread.ts";

export const code: WorkerCode = new URL("./workbook.ts", import.meta.url);
