import type { WorkerCode } from "../worker-thread.ts";

export const code: WorkerCode = new URL("./pdf.ts", import.meta.url);
