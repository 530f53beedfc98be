/** The times of a bus between nodes, in milliseconds. */
export const usualTimes = {
  /** The pause between two attempts to connect: the first one, and the longest. */
  retry: 50,
  longestRetry: 2_000,
  /** After this long without a connection a process hears its own messages early. */
  alone: 1_000,
  /** After a question has had no answer for this long a process hears its own messages early, too, though the connection is open. */
  unanswered: 1_000,
  /** How long a start waits until it hears the other processes. */
  join: 5_000,
  /** The time between two signs of life. */
  beat: 500,
  /** After this long without hearing its own sign of life a process takes another connection. */
  deaf: 5_000,
  /** After this long without a connection a process counts as gone. */
  missing: 1_000,
  /** After this long without a sign of life a connected process counts as gone. */
  silent: 15_000,
  /** How long the log keeps messages, so that they can be read again. */
  log: 60_000,
};
