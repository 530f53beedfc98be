import { secretFile } from "../../../keys/secret-file.ts";
import { isSecureWay } from "../../../outgoing/secure-way.ts";
import type { Run } from "../../../run/run.ts";
import { ask } from "./ask.ts";
import { setting } from "./files.ts";
import type { ExpiringCredentials } from "./model.ts";
import { bad, jsonOf, temporary } from "./temporary.ts";

/** The addresses of a machine or container answer at once or not at all: milliseconds. */
const timeout = 2_000;

/** The agent of a container and the service of a machine give their role to any process, so that the operator has to allow it. */
export const mayAskMetadata = (run: Run): boolean => setting(run, "PIPEWRIGHT_ALLOW_METADATA") === "true";

/** The agent of a container, where the environment names it, else the service of the machine. */
export const fromMetadata = async (run: Run): Promise<ExpiringCredentials | undefined> =>
  (await fromContainer(run)) ?? (await fromMachine(run));

async function fromContainer(run: Run): Promise<ExpiringCredentials | undefined> {
  const relative = setting(run, "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI");
  const address = relative === undefined ? setting(run, "AWS_CONTAINER_CREDENTIALS_FULL_URI") : `http://169.254.170.2${relative}`;
  if (address === undefined) return undefined;
  const url = URL.parse(address);
  if (url === null || !mayServe(url)) throw bad("aws: the address of the container credentials is not allowed");
  const file = setting(run, "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE");
  const token = file === undefined ? setting(run, "AWS_CONTAINER_AUTHORIZATION_TOKEN") : await secretFile(file);
  const text = await ask(run, { method: "GET", url, headers: token === undefined ? {} : { authorization: token }, timeout });
  return text === undefined ? undefined : temporary(jsonOf(text) ?? null);
}

/** Credentials travel over TLS, or not beyond the machine: its own addresses, and those of the agents of ECS and EKS. */
const mayServe = (url: URL): boolean =>
  isSecureWay(url) || (url.protocol === "http:" && ["169.254.170.2", "169.254.170.23", "[fd00:ec2::23]"].includes(url.hostname));

/** The service of a machine, by the version that needs a token. */
async function fromMachine(run: Run): Promise<ExpiringCredentials | undefined> {
  if (setting(run, "AWS_EC2_METADATA_DISABLED")?.toLowerCase() === "true") return undefined;
  const base = URL.parse(setting(run, "AWS_EC2_METADATA_SERVICE_ENDPOINT") ?? "http://169.254.169.254");
  if (base === null || base.protocol !== "http:") throw bad("aws: AWS_EC2_METADATA_SERVICE_ENDPOINT is no address");
  const at = (path: string): URL => new URL(`${base.origin}${base.pathname.replace(/\/$/, "")}/latest/${path}`);
  const asking = { "x-aws-ec2-metadata-token-ttl-seconds": "60" };
  const token = await ask(run, { method: "PUT", url: at("api/token"), headers: asking, timeout });
  // Tokens of AWS have only these characters. Others may be control characters, which a header must not hold.
  if (token === undefined || !/^[\x21-\x7e]+$/.test(token)) return undefined;
  const headers = { "x-aws-ec2-metadata-token": token };
  const roles = "meta-data/iam/security-credentials/";
  const role = (await ask(run, { method: "GET", url: at(roles), headers, timeout }))?.split("\n")[0]?.trim();
  if (!role) return undefined;
  const text = await ask(run, { method: "GET", url: at(`${roles}${encodeURIComponent(role)}`), headers, timeout });
  return text === undefined ? undefined : temporary(jsonOf(text) ?? null);
}
