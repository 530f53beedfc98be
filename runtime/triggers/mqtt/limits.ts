/** Limits of the broker (spec/surfaces 3 and 4). Sizes in bytes, times in milliseconds. */
export const limits = {
  /** The most bytes of a control packet; MQTT 5 clients are told. */
  packet: 262_144,
  connectMs: 10_000,
  /** The keep-alive of clients of MQTT 5 that ask for none, in seconds. */
  serverKeepAlive: 300,
  /** QoS 1 and 2 messages that are on their way to or from a client at once. */
  receiveMaximum: 64,
  /** The receive maximum of clients of MQTT 3.1.1, which cannot be told. */
  silentReceiveMaximum: 1_000,
  topicAliases: 16,
  subscriptions: 1_000,
  /** The most bytes of a filter. */
  filter: 4_096,
  retained: 1_000,
  retainedBytes: 67_108_864,
  /** Topics that have been published to lately. */
  topics: 100_000,
  topicsForgottenMs: 1_800_000,
  /** Longest life of a session without its client. */
  sessionMs: 86_400_000,
  /** Sessions without their clients. */
  absentSessions: 10_000,
  /** The most bytes of the wills of all clients of all processes. */
  willBytes: 67_108_864,
  /** Messages of clients that have no place in the order of all processes yet. */
  unplaced: 10_000,
  /** How long a client waits for its session from another process. */
  openMs: 10_000,
  queue: 10_000,
  queueBytes: 16_777_216,
  /** The most bytes that wait for all sessions together, with messages that are not acknowledged or not released. */
  allQueuesBytes: 268_435_456,
  /** Bytes that wait for a slow client before further messages do not reach its socket. */
  buffer: 1_048_576,
  /** How long it may take a slow client to read them. */
  drainMs: 30_000,
  /** Messages of a client that run an interface, per second. */
  runsPerSecond: 1_000,
  /** Runs of a client that wait for those before them. */
  waitingRuns: 1_000,
  /** The most bytes of messages whose runs wait or go on, of all clients together. */
  waitingRunBytes: 134_217_728,
} as const;
