/** The times of a bus between nodes, in milliseconds. */
export const usualTimes = {
  /** Between two tries to connect, at first and at most. */
  retry: 50,
  longestRetry: 2_000,
  /** After this long without a connection a process hears its own messages without the others. */
  alone: 1_000,
  /** After a question has had no answer for this long a process hears its own messages, too, though its connection is there. */
  unanswered: 1_000,
  /** How long a start waits for the others. */
  join: 5_000,
  /** The time between two signs of life. */
  beat: 500,
  /** After this long without hearing its own sign of life a process takes another connection. */
  deaf: 5_000,
  /** After this long without a connection a process counts as gone. */
  missing: 1_000,
  /** After this long without a sign of life a connected process counts as gone. */
  silent: 15_000,
  /** How long messages can be asked for again. */
  log: 60_000,
};
