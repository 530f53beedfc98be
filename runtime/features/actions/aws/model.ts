import type { AwsCredentials } from "../../../keys/aws-signature.ts";

/** Credentials, and when they end: Unix milliseconds. */
export interface ExpiringCredentials {
  readonly credentials: AwsCredentials;
  readonly expires?: number;
}

/** Credentials, the region in which they are used, and the address of the services that they are for. */
export interface Account {
  readonly credentials: AwsCredentials;
  readonly region: string;
  readonly endpoint: string | undefined;
  readonly path_style: boolean | undefined;
  /** The account with fresh credentials in the place of those that a service calls expired; undefined where there are no others. */
  readonly renew: () => Promise<Account | undefined>;
}
