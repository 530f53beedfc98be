/**
 * The reason of a connection that failed, with a remedy for untrusted certificates: the one of Node names an option of `node`, which an
 * executable does not take.
 */
export const withRemedy = (reason: string): string =>
  reason.replace(/; if the root CA is installed locally.*/, "; NODE_EXTRA_CA_CERTS=FILE adds authorities to trust");
