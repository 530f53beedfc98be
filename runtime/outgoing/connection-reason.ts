/** An error of OpenSSL: a number of the thread, codes and names, then the reason, and perhaps a place in its sources. */
const openssl = /(?:[\dA-F]{1,16}:)?error:[\dA-F]{8}:[^:]{0,80}:[^:]{0,80}:([^:]{1,200}).*$/s;

/**
 * The reason of a connection that failed, as an operator reads it. Of an error of OpenSSL only its reason is left. The remedy of Node for
 * untrusted certificates names an option of `node`, which an executable does not take.
 */
export const readableReason = (reason: string): string =>
  reason
    .replace(
      openssl,
      (_, words: string) => `TLS: ${words}${words === "wrong version number" ? "; does the server speak TLS at this port?" : ""}`,
    )
    .replace(/; if the root CA is installed locally.*/, "; NODE_EXTRA_CA_CERTS=FILE adds authorities to trust");
