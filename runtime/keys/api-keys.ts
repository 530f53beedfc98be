import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";

/**
 * The API keys of a process. A key is compared with the hashes of all of them every time, so that the time of an answer does not show a key
 * that is nearly right.
 */
export class ApiKeys {
  readonly #digests: readonly Buffer[];

  constructor(keys: readonly string[]) {
    this.#digests = keys.map(digest);
  }

  /** Without keys nothing is accepted (spec/surfaces 0). */
  accepts(key: string): boolean {
    return this.numberOf(key) > 0;
  }

  /** The number of the key in its list, from 1, by which a log may name it; 0 when it is none of them. */
  numberOf(key: string): number {
    const digestOfKey = digest(key);
    return this.#digests.reduce((number, expected, i) => (timingSafeEqual(expected, digestOfKey) ? i + 1 : number), 0);
  }
}

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();

/** The key that a request carries (spec/surfaces 10). */
export function keyOf({ headers }: IncomingMessage, query: URLSearchParams, queryKeys: boolean): string | undefined {
  const [, bearer] = /^Bearer +(\S+)$/i.exec(headers.authorization ?? "") ?? [];
  const header = headers["x-api-key"];
  return bearer ?? (typeof header === "string" ? header : undefined) ?? (queryKeys ? (query.get("api_key") ?? undefined) : undefined);
}
