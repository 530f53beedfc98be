import { domainOf } from "#runtime/keys/aws-domain.ts";
import type { Expr } from "#runtime/plan/index.ts";
import type { Sources } from "../../4-plan/inference/provenance.ts";
import { hostsOf } from "./hosts.ts";
import { isUnset, member } from "./member.ts";
import { joined, type Name, nameOf, namesOf } from "./names.ts";
import type { Touched } from "./touched.ts";

/** Hosts that give credentials when the configuration has none: a token service, and the agents of a container and a machine. */
const credentialHosts: readonly string[] = [
  ...["169.254.169.254", "169.254.170.2", "a|env::AWS_CONTAINER_CREDENTIALS_FULL_URI|", "a|env::AWS_EC2_METADATA_SERVICE_ENDPOINT|"],
  ...["sts.*.amazonaws.com", "a|env::AWS_ENDPOINT_URL_STS|", "a|env::AWS_ENDPOINT_URL|"],
];

/** The hosts of a store of secrets that calls a service of AWS. */
export const storeHosts = (service: string): readonly string[] => [
  ...[`${service}.*.amazonaws.com`, `a|env::AWS_ENDPOINT_URL_${service.toUpperCase()}|`],
  ...credentialHosts,
];

/** The hosts of a mail by SES, with its credentials. */
export const touchedBySes = (args: Expr, known: Sources): readonly Touched[] => {
  const credential = member(args, "credential");
  return [...credentialsOf(credential, known), ...serviceHosts("email", credential, known)];
};

/** Hosts and files of credentials. */
export function credentialsOf(credential: Expr, known: Sources): readonly Touched[] {
  const has = (field: string): boolean => !isUnset(member(credential, field));
  const endpoints = has("role_arn") || !has("access_key_id") ? serviceHosts("sts", credential, known) : [];
  const agents = has("access_key_id") ? [] : credentialHosts.map((name): Touched => ({ kind: "hosts", name }));
  const files = ["credential_file", "config_file"].flatMap((field) => namesOf(member(credential, field), known));
  return [...endpoints, ...agents, ...files.map((name): Touched => ({ kind: "files", ...name }))];
}

/** The address in the credential, else the addresses of the environment and of AWS. A bucket is part of the host, or of the path. */
export function serviceHosts(service: string, credential: Expr, known: Sources, bucket?: Name): readonly Touched[] {
  const endpoint = member(credential, "endpoint");
  const hosts = isUnset(endpoint) ? hostsOfAws(service, credential, known) : hostsOf(endpoint, known);
  const below =
    bucket === undefined ? [] : hosts.flatMap((host) => (host.name.startsWith("a|") ? [] : [joined([bucket, { name: "." }, host])]));
  return [...hosts, ...below].map((name) => ({ kind: "hosts", ...name }));
}

function hostsOfAws(service: string, credential: Expr, known: Sources): readonly Name[] {
  const region = member(credential, "region");
  const name = isUnset(region) ? { name: "*" } : nameOf(region, known);
  const host = joined([{ name: `${service}.` }, name, { name: `.${domainOf(name.name)}` }]);
  const variables = [`AWS_ENDPOINT_URL_${service === "email" ? "SES" : service.toUpperCase()}`, "AWS_ENDPOINT_URL"];
  return [host, ...variables.map((variable) => ({ name: `a|env::${variable}|` }))];
}
