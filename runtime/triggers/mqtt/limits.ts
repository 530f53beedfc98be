/** Limits of the broker (spec/surfaces 3 and 4). Sizes in bytes, times in milliseconds. */
export const limits = {
  /** The most bytes of a control packet; clients of MQTT 5 get this number. */
  packet: 262_144,
  connectMs: 10_000,
  /** The keep-alive, in seconds, of clients of MQTT 5 that ask for none. */
  serverKeepAlive: 300,
  /** The most messages of QoS 1 and 2 on their way to, or from, a client at once. */
  receiveMaximum: 64,
  /** The receive maximum for clients of MQTT 3.1.1, which cannot get it from the broker. */
  silentReceiveMaximum: 1_000,
  topicAliases: 16,
  subscriptions: 1_000,
  /** The most bytes of a filter. */
  filter: 4_096,
  retained: 1_000,
  retainedBytes: 67_108_864,
  /** The most topics that were published to lately. */
  topics: 100_000,
  topicsForgottenMs: 1_800_000,
  /** The longest life of a session without its client. */
  sessionMs: 86_400_000,
  /** The most sessions without their clients. */
  absentSessions: 10_000,
  /** The most bytes of the wills of all clients of all processes. */
  willBytes: 67_108_864,
  /** The most messages of clients that have no place in the order of all processes yet. */
  unplaced: 10_000,
  /** How long a client waits for its session from another process. */
  openMs: 10_000,
  queue: 10_000,
  queueBytes: 16_777_216,
  /** The most bytes that wait in all sessions together, including messages that are not acknowledged or not released. */
  allQueuesBytes: 268_435_456,
  /** The most bytes that wait for a slow client; further messages do not reach its socket. */
  buffer: 1_048_576,
  /** How long a slow client may take to read them. */
  drainMs: 30_000,
  /** The most messages of a client that run an interface, per second. */
  runsPerSecond: 1_000,
  /** The most runs of a client that wait for the runs before them. */
  waitingRuns: 1_000,
  /** The most bytes of messages whose runs wait or are under way, of all clients together. */
  waitingRunBytes: 134_217_728,
} as const;
