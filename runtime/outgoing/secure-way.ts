/** A host without the brackets that an address of IPv6 has in a URL. */
export const bareHost = (host: string): string => host.replace(/^\[(.*)\]$/, "$1");

/** True for a bare host that is this machine. */
export const isLoopback = (host: string): boolean => /^(?:localhost|127(?:\.\d{1,3}){3}|::1)$/i.test(host);

/** True when no third party can read or change the traffic to the address: it uses TLS, or stays on this machine. */
export const isSecureWay = ({ protocol, hostname }: URL): boolean =>
  protocol === "https:" || (protocol === "http:" && isLoopback(bareHost(hostname)));
