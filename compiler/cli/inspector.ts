import inspector from "node:inspector";
import { UsageError } from "#runtime/process/settings/usage-error.ts";

/** Addresses that only this machine reaches. This is needed because a client of an inspector can run any code in the process. */
const loopback: ReadonlySet<string> = new Set(["127.0.0.1", "localhost", "[::1]"]);

/**
 * Opens Node's inspector for a debugger. `address` is `PORT` or `HOST:PORT`, and true means the default, 127.0.0.1:9229. The linked modules
 * carry source maps to the YAML, so that a debugger stops on its lines. Throws `UsageError` for an address that is taken, or that other
 * machines reach.
 */
export function openInspector(address: string | true | undefined): void {
  if (address === undefined) return;
  const { host, port } = parsed(address === true ? "9229" : address);
  if (inspector.url() !== undefined) throw new UsageError("--inspect: this process already has an inspector; leave out --inspect of Node");
  // Node prints the address for the debugger.
  inspector.open(port, host.replace(/^\[|\]$/g, ""));
  if (inspector.url() === undefined) throw new UsageError(`--inspect: ${host}:${port} is taken; name another port`);
}

function parsed(address: string): { readonly host: string; readonly port: number } {
  const { host = "127.0.0.1", port = "" } = /^(?:(?<host>.+):)?(?<port>\d{1,5})$/.exec(address)?.groups ?? {};
  if (port === "" || Number(port) > 65_535) throw new UsageError(`--inspect: '${address}' is no PORT or HOST:PORT`);
  if (!loopback.has(host)) throw new UsageError(`--inspect: '${host}' may be reached by other machines; use 127.0.0.1 and a tunnel`);
  return { host, port: Number(port) };
}
