import type { AdminSettings } from "../process/settings/admin-options.ts";
import type { Watched } from "./watched.ts";

/** Serves the admin API where there is a key; gives what keeps it from being served where it must be. */
export async function serveAdmin(watched: Watched, settings: AdminSettings | undefined): Promise<readonly string[]> {
  const { host } = watched;
  if (settings?.bind === undefined) return [];
  const { address, port, chosen } = settings.bind;
  host.redactor.add("API keys", [...settings.keys]);
  // Most processes serve none.
  const { AdminServer } = await import("./server.ts");
  const server = host.resource("admin", () => new AdminServer(watched, settings));
  try {
    host.log("info", "admin", { url: await server.listen(address, port) });
    return [];
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException; // only the socket can fail
    const problem = `PIPEWRIGHT_ADMIN_BIND: ${address}:${port} cannot be used: ${code ?? message}`;
    if (chosen) return [problem];
    host.log("warn", `the admin API is not served: ${problem}`);
    return [];
  }
}
