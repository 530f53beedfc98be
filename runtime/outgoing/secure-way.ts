/** Nobody on the way to the address reads or changes anything: TLS, or this machine. */
export const isSecureWay = ({ protocol, hostname }: URL): boolean =>
  protocol === "https:" || (protocol === "http:" && /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(hostname));
