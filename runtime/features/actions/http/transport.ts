import { X509Certificate } from "node:crypto";
import type { Transport } from "../../../outgoing/agents.ts";
import { Failure } from "../../../value/failure.ts";
import { credentialsOf } from "./target.ts";

/** Fields of an `http` block that say how the service is reached (spec/language 5.1.1). */
export interface TransportArgs {
  readonly proxy?: string | null;
  /** PEM text of one or more certificates that are trusted besides the usual ones. */
  readonly ca?: string | null;
  readonly root_certificates?: readonly string[] | null;
  readonly accept_invalid_certs?: boolean | null;
}

/** The way that a block asks for; undefined for the usual one. */
export function transportOf({ proxy, ca, root_certificates, accept_invalid_certs }: TransportArgs): Transport | undefined {
  const insecure = accept_invalid_certs === true;
  if ((proxy ?? ca ?? root_certificates ?? null) === null && !insecure) return undefined;
  const certificates = [
    ...certificatesOf(ca ?? "", "ca"),
    ...(root_certificates ?? []).flatMap((pem) => certificatesOf(pem, "root_certificates")),
  ];
  if ((proxy === undefined || proxy === null) && certificates.length === 0 && !insecure) return undefined;
  return { ...(proxy === undefined || proxy === null ? {} : { proxy: proxyOf(proxy) }), certificates, insecure };
}

/** The single certificates of a PEM text. A text without any fails, since it would silently add no trust. */
function certificatesOf(pem: string, field: string): string[] {
  if (pem.trim() === "") return [];
  const certificates = pem.match(/-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----/g) ?? [];
  if (certificates.length === 0 || !certificates.every(isCertificate))
    throw new Failure("evaluation", `field ${field}: expected certificates as PEM`);
  return certificates;
}

function isCertificate(pem: string): boolean {
  try {
    new X509Certificate(pem);
    return true;
  } catch {
    return false;
  }
}

/** Its user and password travel as a header: they must reach no error text. */
function proxyOf(address: string): NonNullable<Transport["proxy"]> {
  const url = URL.parse(address);
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:")) throw new Failure("evaluation", "field proxy: invalid url");
  const token = credentialsOf(url);
  return { uri: url.origin, ...(token === undefined ? {} : { token }) };
}
