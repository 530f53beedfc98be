/**
 * A variable of the environment that a process reads. No bundle carries these records: they are for people, and for the types of those who
 * read.
 */
export interface VariableRecord {
  /** Heading of the reference below which it stands. */
  readonly group: "Process" | "Data" | "Bounds" | "Access" | "Outgoing" | "Recording" | "Sockets" | "MQTT" | "Tools" | "Metrics and traces";
  readonly meaning: string;
  /** The value that holds without the variable, as one would write it; absent where there is none. */
  readonly preset?: string | number;
  readonly example: string;
  /** True for what no configuration may read. */
  readonly secret?: true;
}
