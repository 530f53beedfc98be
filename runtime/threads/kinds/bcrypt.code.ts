import type { WorkerCode } from "../worker-thread.ts";

export const code: WorkerCode = new URL("./bcrypt.ts", import.meta.url);
