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
    // Repeated headers reach a configuration joined; Node would drop all but the first of some.
    joinDuplicateHeaders: true,
    // A request without one is refused as all others are.
    requireHostHeader: false,
  },
} as const;
