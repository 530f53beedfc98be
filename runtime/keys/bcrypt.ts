import type { Host } from "../process/host.ts";
import { code } from "../threads/kinds/bcrypt.code.ts";
import type { BcryptRequest } from "../threads/kinds/bcrypt.ts";
import { inWorker, type WorkerKind } from "../threads/worker.ts";

const bcrypt: WorkerKind<BcryptRequest, string | boolean> = { name: "bcrypt", code, heap: 32, buffers: 32 };

/** The bcrypt hash of a text, version 2b, with a salt of 16 bytes. Computed in a thread, which ends when the signal does. */
export async function bcryptHash(host: Host, text: string, cost: number, salt: Uint8Array, signal: AbortSignal): Promise<string> {
  return String(await inWorker(host, bcrypt, { text, cost, salt }, { signal }));
}

/**
 * True when the hash (2a, 2b or 2y) is that of the text. Computed as above; compared in constant time. Text that bcrypt would not see in
 * full, beyond 72 bytes or behind a NUL, belongs to no hash, and neither does one with a lone surrogate.
 */
export async function bcryptVerify(host: Host, text: string, hash: string, signal: AbortSignal): Promise<boolean> {
  if (Buffer.byteLength(text) > 72 || text.includes("\0") || !text.isWellFormed()) return false;
  if (!/^\$2[aby]\$(?:0[4-9]|[12]\d|3[01])\$[./A-Za-z0-9]{53}$/.test(hash)) return false;
  return (await inWorker(host, bcrypt, { text, hash }, { signal, failure: "assert" })) === true;
}
