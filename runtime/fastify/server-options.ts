/**
 * Options of `fastify(…)` that make a server read requests as ours does. Without them an application decides by its own how large heads may
 * be, how long it waits for clients, and what becomes of repeated headers.
 */
export const serverOptions = {
  requestTimeout: 60_000,
  keepAliveTimeout: 75_000,
  http: {
    maxHeaderSize: 32_768,
    headersTimeout: 60_000,
    // Repeated headers reach a configuration as one joined value; Node would keep only the first value of some headers.
    joinDuplicateHeaders: true,
    // Without this, Node itself would answer a request that has no host; ours refuses it like any other wrong request.
    requireHostHeader: false,
  },
} as const;
