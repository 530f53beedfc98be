/** The parts of an address of HTTP that a call reads. A `URL` has them, too. */
export type Address = Readonly<
  Pick<URL, "protocol" | "hostname" | "host" | "port" | "origin" | "pathname" | "search" | "searchParams" | "href">
>;

type Authority = Pick<Address, "protocol" | "hostname" | "host" | "port" | "origin">;

/**
 * Matches an authority without user and password, a path, and a query, in characters that the parser of URLs does not change. The parser
 * changes others, such as a backslash or a quotation mark, and removes tabs.
 */
const plain = /^(https?:\/\/[^/?#@\\\s]+)(\/[\w.~!$&()*+,;=:@%/-]*)(\?[\w.~!$&()*+,;=:@%/?-]+)?$/;

/** Matches a segment that begins with a dot, which may be written `%2e`: the parser removes segments that are only dots. */
const dots = /\/(?:\.|%2e)/i;

/** The most authorities that are remembered; data may name new ones without end. */
const most = 256;

/** The longest text that is handled here: a remembered authority keeps the whole text alive from which it was cut. */
const longest = 2_048;

/** Authorities by the text before the path; undefined for one that is no URL. */
const authorities = new Map<string, Authority | undefined>();

/**
 * Parses an address; null when it is none. Most addresses are already in the form that the parser would give them: for these only the
 * authority is parsed, once.
 */
export function parseAddress(text: string, base?: string): Address | URL | null {
  const [, before, path, query = ""] = (text.length <= longest && plain.exec(text)) || [];
  if (before === undefined || path === undefined || dots.test(path)) return URL.parse(text, base);
  const authority = authorityOf(before);
  return authority === undefined ? null : new PlainAddress(authority, path, query);
}

function authorityOf(text: string): Authority | undefined {
  if (authorities.has(text)) return authorities.get(text);
  if (authorities.size >= most) authorities.clear();
  const url = URL.parse(text);
  const authority = url === null ? undefined : partsOf(url);
  authorities.set(text, authority);
  return authority;
}

const partsOf = ({ protocol, hostname, host, port, origin }: URL): Authority => ({ protocol, hostname, host, port, origin });

/** An address that is the same before and after the parser. */
class PlainAddress implements Address {
  readonly protocol: string;
  readonly hostname: string;
  readonly host: string;
  readonly port: string;
  readonly origin: string;
  readonly pathname: string;
  readonly search: string;

  constructor({ protocol, hostname, host, port, origin }: Authority, pathname: string, search: string) {
    this.protocol = protocol;
    this.hostname = hostname;
    this.host = host;
    this.port = port;
    this.origin = origin;
    this.pathname = pathname;
    this.search = search;
  }

  get href(): string {
    return `${this.origin}${this.pathname}${this.search}`;
  }

  get searchParams(): URLSearchParams {
    return new URLSearchParams(this.search);
  }
}
