import { isIPv6, type LookupFunction } from "node:net";
import { type Address, parseAddress, parseRange } from "../network/addresses/address.ts";
import { type Ranges, ranges } from "../network/addresses/ranges.ts";
import type { Host, Resource } from "../process/host.ts";
import { Failure } from "../value/failure.ts";
import { type Names, namesOf } from "./names.ts";
import { bareHost } from "./secure-way.ts";

/**
 * Addresses that data must not lead to: those of this machine, of its networks and of the cloud in which it runs, and those that no machine
 * has.
 */
const closed = ranges([
  ...["0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24", "192.168.0.0/16"],
  ...["198.18.0.0/15", "224.0.0.0/4", "240.0.0.0/4"],
  // The agent of Azure answers at a public address.
  "168.63.129.16",
  ...["::", "::1", "64:ff9b:1::/48", "100::/64", "fc00::/7", "fe80::/10", "fec0::/10", "ff00::/8"],
]);

/** The texts of a list in an environment variable. */
const egressTexts = (list = ""): readonly string[] => list.split(/[\s,]+/).filter((text) => text !== "");

/** The first text of the list that is neither an address nor a range. */
export const notEgress = (list: string | undefined): string | undefined => egressTexts(list).find((text) => parseRange(text) === undefined);

/** Decides which addresses from data may be called. Addresses of the configuration itself are not checked. */
export class Egress implements Resource {
  readonly #allow: Ranges;
  readonly #deny: Ranges;
  readonly #names: Names;

  constructor(host: Host) {
    this.#allow = ranges(egressTexts(host.env("PIPEWRIGHT_EGRESS_ALLOW")));
    this.#deny = ranges(egressTexts(host.env("PIPEWRIGHT_EGRESS_DENY")));
    this.#names = namesOf(host);
  }

  /**
   * Says whether an address may be called. A range that the operator closes stays closed, even when another setting opens it. A text that
   * is no address is closed.
   */
  isOpen(text: string): boolean {
    const address = parseAddress(text);
    if (address === undefined) return false;
    const forms = formsOf(address);
    const isIn = (set: Ranges): boolean => forms.some((form) => set.has(form));
    return !isIn(this.#deny) && (isIn(this.#allow) || !isIn(closed));
  }

  /** Throws when the host is itself an address and may not be called. A name is not checked. */
  checkHost(host: string): void {
    const text = bareHost(host);
    if (parseAddress(text) !== undefined && !this.isOpen(text)) throw notAllowed();
  }

  /** Checks a host to which another program connects. All its addresses must be allowed, since this process does not choose among them. */
  async checkName(host: string): Promise<void> {
    this.checkHost(host);
    if (parseAddress(bareHost(host)) !== undefined) return;
    const addresses = await this.#names.addresses(host);
    if (addresses.length === 0 || !addresses.every((address) => this.isOpen(address))) throw notAllowed();
  }

  /** The open addresses of a host. Throws when there is none. */
  async openOf(host: string): Promise<readonly string[]> {
    const text = bareHost(host);
    const addresses = parseAddress(text) === undefined ? await this.#names.addresses(host) : [text];
    const open = addresses.filter((address) => this.isOpen(address));
    if (open.length === 0) throw notAllowed();
    return open;
  }

  /** Resolves a name for a connection to allowed addresses only, so that nothing can change between the check and the connection. */
  readonly lookup: LookupFunction = (host, { all, family }, callback) => {
    this.openOf(host).then(
      (open) => {
        const targets = open.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));
        const fitting = targets.filter((one) => (family !== 4 && family !== 6) || one.family === family);
        const [first] = fitting;
        if (first === undefined) callback(notAllowed(), "");
        else if (all === true) callback(null, fitting);
        else callback(null, first.address, first.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, ""),
    );
  };

  close(): void {
    // There is nothing to close.
  }
}

export const egressOf = (host: Host): Egress => host.resource("egress", () => new Egress(host));

/** The failure of a refused address. */
export const notAllowed = (): Failure => new Failure("transport", "address not allowed", { upstream: 502 });

const low = 0xffff_ffffn;

/** The address and the IPv4 addresses that are embedded in it: a gateway between the families would lead to those. */
function formsOf(address: Address): readonly Address[] {
  if (typeof address === "number") return [address];
  const inner = Number(address & low);
  const high = address >> 32n;
  // ::/96, ::ffff:0:0:0/96 and 64:ff9b::/96; `::` and `::1` are closed as they stand.
  if (high === 0n || high === 0xffff_0000n || high === 0x64_ff9bn << 64n) return address < 2n ? [address] : [address, inner];
  // 6to4: the prefix contains the IPv4 address of the router.
  if (address >> 112n === 0x2002n) return [address, Number((address >> 80n) & low)];
  // Teredo: the address contains that of the server, and that of the client with all bits inverted.
  if (address >> 96n === 0x2001_0000n) return [address, Number((address >> 64n) & low), Number(~address & low)];
  // ISATAP: the second half of an IPv6 address in any network.
  if ((high & 0xfdff_ffffn) === 0x5efen) return [address, inner];
  return [address];
}
