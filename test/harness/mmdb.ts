import { parseRange } from "#runtime/network/addresses/address.ts";

// A writer of small MMDB files, by the format's description (MaxMind DB File Format Specification 2.0): enough to place a few ranges.

type Value = string | number | { readonly [key: string]: Value } | readonly Value[];

/** A node of the search tree: its branches for the bits 0 and 1. A number is the index of a data record. */
type Branch = [Branch | number | undefined, Branch | number | undefined];

/** An MMDB file for IPv6 with these data for each range (`10.0.0.0/8`, `2001:db8::/32`). */
export function mmdb(entries: Readonly<Record<string, Value>>, databaseType = "Test"): Buffer {
  const tree: Branch = [undefined, undefined];
  const data = Object.values(entries).map((value) => encoded(value));
  for (const [i, text] of Object.keys(entries).entries()) plant(tree, bitsOf(text), i);
  const nodes: Branch[] = [];
  number(tree, nodes);
  const offsets = data.map((_, i) => Buffer.concat(data.slice(0, i)).length);
  const record = (branch: Branch | number | undefined): number => {
    if (branch === undefined) return nodes.length;
    return typeof branch === "number" ? nodes.length + 16 + (offsets[branch] ?? 0) : nodes.indexOf(branch);
  };
  const search = Buffer.concat(nodes.map(([zero, one]) => Buffer.concat([uint(record(zero), 4), uint(record(one), 4)])));
  const metadata = encoded({
    binary_format_major_version: 2,
    binary_format_minor_version: 0,
    build_epoch: 1,
    database_type: databaseType,
    description: { en: "of a test" },
    ip_version: 6,
    languages: ["en"],
    node_count: nodes.length,
    record_size: 32,
  });
  return Buffer.concat([search, Buffer.alloc(16), ...data, Buffer.from("\xab\xcd\xefMaxMind.com", "latin1"), metadata]);
}

/** The bits of the prefix; IPv4 lies at `::/96`. */
function bitsOf(text: string): string {
  const [first] = parseRange(text) ?? [];
  const bits = Number(text.split("/")[1] ?? "");
  if (first === undefined) throw new Error(text);
  return BigInt(first)
    .toString(2)
    .padStart(128, "0")
    .slice(0, typeof first === "number" ? 96 + bits : bits);
}

function plant(tree: Branch, bits: string, datum: number): void {
  let at = tree;
  for (const bit of bits.slice(0, -1)) {
    const side = bit === "0" ? 0 : 1;
    const next = at[side];
    if (typeof next === "number") throw new Error("ranges overlap");
    const branch: Branch = next ?? [undefined, undefined];
    at[side] = branch;
    at = branch;
  }
  at[bits.at(-1) === "0" ? 0 : 1] = datum;
}

function number(branch: Branch, nodes: Branch[]): void {
  nodes.push(branch);
  for (const side of branch) if (Array.isArray(side)) number(side, nodes);
}

const types = { text: 2, uint32: 6, map: 7, list: 11 } as const;

function encoded(value: Value): Buffer {
  if (typeof value === "string") return Buffer.concat([control(types.text, Buffer.byteLength(value)), Buffer.from(value)]);
  if (typeof value === "number") return Buffer.concat([control(types.uint32, 4), uint(value, 4)]);
  if (Array.isArray(value)) return Buffer.concat([control(types.list, value.length), ...value.map(encoded)]);
  const entries = Object.entries(value);
  return Buffer.concat([control(types.map, entries.length), ...entries.flatMap(([key, one]) => [encoded(key), encoded(one)])]);
}

/** Type and size; types from 8 up have a byte of their own. */
function control(type: number, size: number): Buffer {
  if (size > 28) throw new Error("too long for a test");
  return Buffer.from(type < 8 ? [(type << 5) | size] : [size, type - 7]);
}

function uint(value: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  bytes.writeUIntBE(value, 0, length);
  return bytes;
}
