import { parseAddress } from "../../network/addresses/address.ts";
import type { Variable } from "./variables.ts";

/**
 * The address of another server beside that of the interfaces. An address that the operator has set must be free; the default one is used
 * only if it is free.
 */
export interface Bind {
  readonly address: string;
  readonly port: number;
  readonly chosen: boolean;
}

/** Reads an address: `off`, or `ADDRESS:PORT`; an empty text is `127.0.0.1` and the usual port. */
export function bindOf(name: Variable, text: string, usual: number, unmet: string[]): Bind | undefined {
  if (text === "") return { address: "127.0.0.1", port: usual, chosen: false };
  if (text === "off") return undefined;
  const [, bracketed, plain, port = ""] = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(text) ?? [];
  const address = bracketed ?? plain;
  if (address !== undefined && Number(port) <= 65_535) return { address, port: Number(port), chosen: true };
  unmet.push(`${name} must be off or ADDRESS:PORT, not '${text}'`);
  return undefined;
}

/** True for an address that only this machine reaches. */
export function isLoopback(address: string): boolean {
  if (/^localhost$/i.test(address)) return true;
  const parsed = parseAddress(address);
  return typeof parsed === "number" ? Math.floor(parsed / 2 ** 24) === 127 : parsed === 1n;
}
