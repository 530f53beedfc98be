import { statSync } from "node:fs";
import { stat } from "node:fs/promises";
import { type AsnResponse, type CountryResponse, Reader, type Response } from "mmdb-lib";
import { readRegularSync } from "../files/regular-file.ts";
import type { Host, Log, Resource } from "../process/host.ts";
import { messageOf } from "../value/thrown.ts";
import { type Address, addressText } from "./addresses/address.ts";
import { ranges } from "./addresses/ranges.ts";

/** Milliseconds between two checks whether a file has changed. */
const lookEveryMs = 5_000;

/** Most bytes of a file: usual ones have at most some hundred MiB. */
const mostBytes = 2 ** 31;

/** Countries and networks of addresses (spec/surfaces 9), from the MMDB files of this process. Undefined as a result means unknown. */
export class Places implements Resource {
  readonly #country: Source<CountryResponse>;
  readonly #network: Source<AsnResponse>;

  constructor(host: Host) {
    this.#country = new Source("PIPEWRIGHT_GEO_MMDB", host);
    this.#network = new Source("PIPEWRIGHT_ASN_MMDB", host);
  }

  /** ISO 3166-1 alpha-2, upper case. */
  country(address: Address): string | undefined {
    const record = this.#country.find(address);
    return (record?.country?.iso_code ?? record?.registered_country?.iso_code)?.toUpperCase();
  }

  /** Number of the autonomous system. */
  asn(address: Address): number | undefined {
    return this.#network.find(address)?.autonomous_system_number;
  }

  /** Why the file for a kind of rule cannot be used; undefined when it exists and can be read. */
  problem(kind: "geo" | "asn"): string | undefined {
    return (kind === "geo" ? this.#country : this.#network).problem;
  }

  /** True when a file is named for a kind of rule. */
  isNamed(kind: "geo" | "asn"): boolean {
    return (kind === "geo" ? this.#country : this.#network).isNamed;
  }

  close(): void {
    this.#country.close();
    this.#network.close();
  }
}

/** The files of this process, read when they are first asked for. */
export const networkPlaces = (host: Host): Places => host.resource("places", () => new Places(host));

/** Addresses that belong to no country and to no network. */
const nowhere = ranges([
  ...["0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.168.0.0/16"],
  ...["::/127", "fc00::/7", "fe80::/10"],
]);

/** One MMDB file, which is read again when it changes. While a changed file cannot be read, the old content is used. */
class Source<Record extends Response> {
  readonly #name: string;
  readonly #file: string;
  readonly #monotonic: () => number;
  readonly #log: Log;
  #reader: Reader<Record> | undefined;
  #problem: string | undefined;
  #changed = 0;
  #looked: number;
  #closed = false;

  constructor(name: string, { env, monotonic, log }: Host) {
    this.#name = name;
    this.#file = env(name) ?? "";
    this.#monotonic = monotonic;
    this.#log = log;
    this.#looked = monotonic();
    if (this.#file === "") this.#problem = `${name} is not set`;
    else this.#read();
  }

  get problem(): string | undefined {
    return this.#problem;
  }

  get isNamed(): boolean {
    return this.#file !== "";
  }

  find(address: Address): Record | undefined {
    if (this.#file !== "" && this.#monotonic() - this.#looked > lookEveryMs) void this.#look();
    if (this.#reader === undefined || nowhere.has(address)) return undefined;
    // An IPv4 file has no IPv6 addresses.
    if (typeof address === "bigint" && this.#reader.metadata.ipVersion === 4) return undefined;
    try {
      return this.#reader.get(addressText(address)) ?? undefined;
    } catch (error) {
      // Reading a file checks only its head, so broken records are found here.
      this.#report(error);
      return undefined;
    }
  }

  close(): void {
    this.#closed = true;
    this.#reader = undefined;
  }

  async #look(): Promise<void> {
    this.#looked = this.#monotonic();
    // A file that is being replaced is looked at again later.
    const stats = await stat(this.#file).catch(() => undefined);
    if (stats !== undefined && stats.mtimeMs !== this.#changed && !this.#closed) this.#read();
  }

  #read(): void {
    try {
      this.#changed = statSync(this.#file).mtimeMs;
      this.#reader = new Reader<Record>(readRegularSync(this.#file, mostBytes));
      this.#problem = undefined;
    } catch (error) {
      this.#report(error);
    }
  }

  /** Keeps the problem of the file, and logs it once when an older content is in use. */
  #report(error: unknown): void {
    const reason = messageOf(error);
    const wasBroken = this.#problem !== undefined;
    this.#problem = `${this.#name}: '${this.#file}' cannot be read: ${reason}`;
    if (this.#reader !== undefined && !wasBroken) this.#log("warn", `network: ${this.#problem}`);
  }
}
