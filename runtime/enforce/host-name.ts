/** A host as a connection is opened to it, and the port that an address names. */
export interface HostName {
  readonly host: string;
  readonly port: number | undefined;
}

/**
 * The host of an address, or of a text that is only a host: small letters, Punycode, IPv6 in its short form in brackets. User, password,
 * path and query do not count. A final dot stays, since it makes another name.
 */
export function hostName(address: string): HostName {
  const [, authority = ""] = /^\s*(?:[a-z][a-z0-9+.-]*:\/\/)?([^/?#]*)/i.exec(address) ?? [];
  const place = authority.replace(/^.*@/s, "").trim() || address.trim();
  // Several colons without brackets are those of IPv6, or several hosts in one text.
  const isWhole = place.indexOf(":") !== place.lastIndexOf(":") && !place.startsWith("[");
  const [, name = place, port] = (isWhole ? undefined : /^(.*):(\d{1,5})$/s.exec(place)) ?? [];
  const host = URL.parse(`http://${isWhole ? `[${name}]` : name}`)?.hostname ?? name.toLowerCase();
  return { host, port: port === undefined ? undefined : Number(port) };
}

/**
 * True when the host that a manifest lists is the one that is asked for. Without a port, the asked host has the usual one of its
 * connection.
 */
export const isSameHost = (listed: HostName, asked: HostName, usualPort: number | undefined): boolean =>
  listed.host === asked.host && (listed.port === asked.port || (asked.port === undefined && listed.port === usualPort));
