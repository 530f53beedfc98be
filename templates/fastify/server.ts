import { application } from "./application.ts";

const app = await application();
await app.listen({ host: "127.0.0.1", port: Number(process.env.PORT ?? 3000) });

// Running requests, and runs that were answered early, end before the process does.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void app.close());
