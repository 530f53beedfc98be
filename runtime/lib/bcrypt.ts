/**
 * The bcrypt hash of a text, version 2b, with a salt of 16 bytes. Computed in slices, so that other runs go on meanwhile; a cancelled run
 * stops waiting. The library is loaded on first use.
 */
export async function bcryptHash(text: string, cost: number, salt: Uint8Array, signal: AbortSignal): Promise<string> {
  const { encodeBase64, hash } = await import("bcryptjs");
  signal.throwIfAborted();
  const hashed = hash(text, `$2b$${String(cost).padStart(2, "0")}$${encodeBase64(salt, salt.length)}`);
  return await Promise.race([hashed, aborted(signal)]);
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}
