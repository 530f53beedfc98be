import type { AdminSettings } from "../process/settings/admin-options.ts";
import type { Watched } from "./watched.ts";

/** Serves the admin API when the process has a key. The result lists why the API is not served although the settings demand it. */
export async function serveAdmin(watched: Watched, settings: AdminSettings | undefined): Promise<readonly string[]> {
  const { host } = watched;
  if (settings?.bind === undefined) return [];
  const { address, port, chosen } = settings.bind;
  // The server is loaded here, because most processes serve no admin API.
  const { AdminServer } = await import("./server.ts");
  const server = host.resource("admin", () => new AdminServer(watched, settings));
  try {
    host.log("info", "admin", { url: await server.listen(address, port) });
    return [];
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException; // the socket alone can fail
    const problem = `PIPEWRIGHT_ADMIN_BIND: ${address}:${port} cannot be used: ${code ?? message}`;
    if (chosen) return [problem];
    host.log("warn", `the admin API is not served: ${problem}`);
    return [];
  }
}
