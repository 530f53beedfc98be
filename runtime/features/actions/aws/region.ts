import { domainOf } from "../../../keys/aws-domain.ts";
import type { Run } from "../../../run/run.ts";
import { Failure } from "../../../value/failure.ts";
import { profileNamed, setting, sharedFile } from "./files.ts";
import type { CredentialArgs } from "./schema.ts";

/** The region in the settings, else the one of the environment or of the profile. */
export async function regionOf(run: Run, args: CredentialArgs): Promise<string> {
  const region = args.region || setting(run, "AWS_REGION") || setting(run, "AWS_DEFAULT_REGION");
  if (region) return checkedRegion(region);
  const profile = (await sharedFile(run, "config", args.config_file))(profileNamed(run, args));
  if (profile?.region) return checkedRegion(profile.region);
  throw new Failure("evaluation", "no AWS region is set");
}

/** The region is checked, because it becomes a part of a host name. */
export function checkedRegion(region: string): string {
  if (!/^[a-z0-9-]{1,40}$/.test(region)) throw new Failure("evaluation", "not an AWS region, such as eu-central-1");
  return region;
}

/** The address of a service: that of the credential, else that of the environment, else the one of AWS. */
export function endpointOf(run: Run, service: string, region: string, endpoint: string | undefined): URL {
  const variable = `AWS_ENDPOINT_URL_${service.toUpperCase()}`;
  const host = hostNames[service] ?? service;
  const address =
    endpoint ?? setting(run, variable) ?? setting(run, "AWS_ENDPOINT_URL") ?? `https://${host}.${region}.${domainOf(region)}/`;
  return serverOf(address);
}

/** The address of a server alone. */
export function serverOf(address: string): URL {
  const url = URL.parse(address);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username + url.password + url.search + url.hash !== "")
    throw new Failure("evaluation", "the AWS endpoint is no address of a server, such as https://s3.example.com");
  return url;
}

/** Services whose hosts have another name than their signatures. */
const hostNames: Readonly<Record<string, string>> = { ses: "email" };
