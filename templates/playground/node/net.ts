// The part of `node:net` that the phases use.

/** 4 or 6 for an IP address, 0 for anything else; octets are decimal and have no leading zero. */
export function isIP(text: string): 0 | 4 | 6 {
  if (four.test(text)) return 4;
  return isSix(text) ? 6 : 0;
}

const octet = "(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)";
const plain = `(?!0\\d)${octet}`;
const four = new RegExp(`^(?:${plain}\\.){3}${plain}$`);

function isSix(text: string): boolean {
  const [address = "", zone, ...more] = text.split("%");
  if (more.length > 0 || zone === "" || (zone !== undefined && !/^[0-9a-zA-Z-.:]+$/.test(zone))) return false;
  const halves = address.split("::");
  if (halves.length > 2) return false;
  const parts = halves.flatMap((half) => (half === "" ? [] : half.split(":")));
  const last = parts.at(-1) ?? "";
  const hasFour = four.test(last) && address.endsWith(last);
  const groups = hasFour ? parts.slice(0, -1) : parts;
  const count = groups.length + (hasFour ? 2 : 0);
  return groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group)) && (halves.length === 2 ? count < 8 : count === 8);
}
