/**
 * Options of `fastify(…)` with which a server reads requests as a server of pipewright does. Without them the application decides how large
 * heads may be, how long it waits for clients, and how repeated headers are joined.
 */
export const serverOptions = {
  requestTimeout: 60_000,
  keepAliveTimeout: 75_000,
  http: {
    maxHeaderSize: 32_768,
    headersTimeout: 60_000,
    // Repeated headers reach a configuration as one joined value; Node would keep only the first value of some headers.
    joinDuplicateHeaders: true,
    // Without this option, Node itself would answer a request without a host; pipewright refuses it like any other invalid request.
    requireHostHeader: false,
  },
} as const;
