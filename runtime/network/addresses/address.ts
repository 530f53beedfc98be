import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

/** An IP address as a number: a `number` is IPv4, a `bigint` IPv6. The IPv6 form of an IPv4 address (`::ffff:…`) is that IPv4 address. */
export type Address = number | bigint;

/** All addresses from the first to the last, both of one family. */
export type Range = readonly [first: Address, last: Address];

/** Undefined for what is no address; a zone id does not count. Octets are decimal: `0x7f.1` and `010.0.0.1` are no addresses. */
export function parseAddress(text: string): Address | undefined {
  const zone = text.indexOf("%");
  const bare = zone < 0 ? text : text.slice(0, zone);
  const family = isIP(bare);
  if (family === 0) return undefined;
  return family === 4 ? fromOctets(bare) : unwrapped(fromParts(ipaddr.IPv6.parse(withoutDots(bare)).parts));
}

/** Writes an address without a part in the form of IPv4: of `::10.0.0.1` the library would make `::ffff:10.0.0.1`. */
function withoutDots(text: string): string {
  const at = text.lastIndexOf(":") + 1;
  if (!text.includes(".", at)) return text;
  const value = fromOctets(text.slice(at));
  return `${text.slice(0, at)}${Math.floor(value / 65_536).toString(16)}:${(value % 65_536).toString(16)}`;
}

/** `10.0.0.0/8`, `2001:db8::/32`, or one address. Bits behind the prefix do not count. Undefined for anything else. */
export function parseRange(text: string): Range | undefined {
  const [, host = "", prefix] = /^([^/%]+)(?:\/(\d{1,3}))?$/.exec(text.trim()) ?? [];
  const address = parseAddress(host);
  if (address === undefined) return undefined;
  const wide = isIP(host) === 4 ? 32 : 128;
  const bits = prefix === undefined ? wide : Number(prefix);
  if (bits > wide) return undefined;
  if (typeof address === "bigint") return block(address, 128n - BigInt(bits));
  const free = wide - bits;
  // A prefix that is shorter than that of all IPv4 addresses means IPv6 addresses, too.
  if (free > 32) return block(mappedPrefix | BigInt(address), BigInt(free));
  const size = 2 ** free;
  const first = Math.floor(address / size) * size;
  return [first, first + size - 1];
}

/** The beginning of `::ffff:0:0/96`. */
const mappedPrefix = 0xffffn << 32n;

function block(address: bigint, free: bigint): Range {
  const first = (address >> free) << free;
  return [first, first + (1n << free) - 1n];
}

const unwrapped = (address: bigint): Address => (address >> 32n === 0xffffn ? Number(address & 0xffff_ffffn) : address);

/** Digit by digit: a quarter of the time that it takes to split the text, and every request is asked for its address. */
function fromOctets(text: string): number {
  let sum = 0;
  let octet = 0;
  for (let i = 0; i < text.length; i++) {
    const digit = text.charCodeAt(i) - 48;
    if (digit >= 0) octet = octet * 10 + digit;
    else {
      sum = sum * 256 + octet;
      octet = 0;
    }
  }
  return sum * 256 + octet;
}

const fromParts = (parts: readonly number[]): bigint => parts.reduce((sum, part) => (sum << 16n) | BigInt(part), 0n);

/** The usual text of an address (RFC 5952). */
export function addressText(address: Address): string {
  if (typeof address === "number") return [24, 16, 8, 0].map((shift) => (address / 2 ** shift) & 255).join(".");
  const parts = Array.from({ length: 8 }, (_, i) => Number((address >> BigInt(112 - 16 * i)) & 0xffffn));
  return new ipaddr.IPv6(parts).toRFC5952String();
}
