import type { CredentialArgs } from "#runtime/features/actions/aws/schema.ts";
import { type AwsArgs, aws } from "#runtime/features/actions/aws.ts";
import type { HostOptions } from "#runtime/process/host.ts";
import type { Json } from "#runtime/value/json.ts";
import { type AwsPeer, awsPeer } from "../../../harness/peers/aws-peer.ts";
import { act } from "../../../harness/sockets.ts";

/** The time of hosts and peers. */
export const clock = Date.UTC(2026, 10, 24, 1, 2, 3);

const peers: AwsPeer[] = [];

/** Closes the peers of a test. */
export async function closePeers(): Promise<void> {
  await Promise.all(peers.splice(0).map((each) => each.close()));
}

/** A peer that is closed after the test. */
export async function peer(): Promise<AwsPeer> {
  const made = await awsPeer(clock);
  peers.push(made);
  return made;
}

export const credentialOf = ({ url }: AwsPeer): CredentialArgs => ({
  ...{ region: "eu-central-1", access_key_id: "AKIDEXAMPLE", secret_access_key: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", endpoint: url },
});

/** The outcome of one `aws` action. */
export const outcome = (at: AwsPeer, args: AwsArgs, options: HostOptions = {}) =>
  act((made) => aws(made, { credential: credentialOf(at), ...args }), { clock, ...options });

export async function dataOf(...given: Parameters<typeof outcome>): Promise<Json> {
  const { data, error } = await outcome(...given);
  if (error !== undefined) throw new Error(error);
  return data;
}

export const errorOf = async (...given: Parameters<typeof outcome>): Promise<string | undefined> => (await outcome(...given)).error;
