import type { Host, Resource } from "../../../process/host.ts";
import type { Run } from "../../../run/run.ts";
import { findCredentials } from "./chain.ts";
import type { Account, ExpiringCredentials } from "./model.ts";
import { regionOf } from "./region.ts";
import type { CredentialArgs } from "./schema.ts";

/** Credentials are fetched again this many milliseconds before their end. The old ones serve on when that fails. */
const early = 300_000;

/** Credentials of files have no end. The files are read again after this many milliseconds. */
const longest = 600_000;

/** The most settings whose credentials a process keeps. */
const mostAccounts = 64;

/** Credentials that were fetched. Times are Unix milliseconds. */
interface Kept {
  readonly found: ExpiringCredentials;
  readonly until: number;
  readonly end: number;
}

/** The credentials and regions of a process, or what a test puts in their place. */
export interface AwsAccounts extends Resource {
  readonly get: (run: Run, args: CredentialArgs) => Promise<ExpiringCredentials>;
  readonly region: (run: Run, args: CredentialArgs) => Promise<string>;
  /** Credentials that a service calls expired are fetched again. */
  readonly forget: (args: CredentialArgs) => void;
}

/** The fetched credentials of a process by their settings: each is fetched by one run at a time, and again shortly before it expires. */
class Accounts implements AwsAccounts {
  readonly region = regionOf;
  readonly #kept = new Map<string, Kept>();
  readonly #fetching = new Map<string, Promise<ExpiringCredentials>>();

  async get(run: Run, args: CredentialArgs): Promise<ExpiringCredentials> {
    const key = JSON.stringify(args);
    const now = run.host.now();
    const entry = this.#kept.get(key);
    if (entry !== undefined && now < entry.until) return entry.found;
    const other = this.#fetching.get(key);
    if (other !== undefined) {
      // The run that fetches them may be cancelled: that is no reason for this one to fail.
      const joined = await other.catch(() => undefined);
      if (joined !== undefined) return joined;
    }
    try {
      return await this.#fetch(run, args, key, now);
    } catch (error) {
      if (entry !== undefined && now < entry.end) return entry.found;
      throw error;
    }
  }

  async #fetch(run: Run, args: CredentialArgs, key: string, now: number): Promise<ExpiringCredentials> {
    const fetching = findCredentials(run, args);
    this.#fetching.set(key, fetching);
    try {
      const result = await fetching;
      const { expires } = result;
      const until = expires === undefined ? now + longest : expires - early;
      this.#kept.delete(key);
      this.#kept.set(key, { found: result, until, end: expires ?? Number.POSITIVE_INFINITY });
      const [oldest] = this.#kept.keys();
      if (oldest !== undefined && this.#kept.size > mostAccounts) this.#kept.delete(oldest);
      return result;
    } finally {
      if (this.#fetching.get(key) === fetching) this.#fetching.delete(key);
    }
  }

  forget(args: CredentialArgs): void {
    this.#kept.delete(JSON.stringify(args));
  }

  close(): void {
    this.#kept.clear();
  }
}

const accountsOf = (host: Host): AwsAccounts => host.resource<AwsAccounts>("aws", () => new Accounts());

/** The account that these settings mean, those of an entry of `global.aws_credentials` or none. Throws `Failure`. */
export async function accountOf(run: Run, args: CredentialArgs): Promise<Account> {
  const { host } = run;
  const region = await accountsOf(host).region(run, args);
  const { credentials, expires } = await accountsOf(host).get(run, args);
  // Every text that leaves the process has `***` in their place from this moment on.
  const { access_key_id, secret_access_key, session_token } = credentials;
  host.redactor.add(`aws secret ${access_key_id}`, secret_access_key);
  if (session_token !== undefined) host.redactor.add(`aws session ${access_key_id}`, session_token);
  const renew = async (): Promise<Account | undefined> => {
    if (expires === undefined) return undefined;
    accountsOf(host).forget(args);
    return accountOf(run, args);
  };
  return { credentials, region, endpoint: args.endpoint ?? undefined, path_style: args.path_style ?? undefined, renew };
}
