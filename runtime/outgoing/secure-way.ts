/** True when no third party can read or change the traffic to the address: it uses TLS, or stays on this machine. */
export const isSecureWay = ({ protocol, hostname }: URL): boolean =>
  protocol === "https:" || (protocol === "http:" && /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(hostname));
