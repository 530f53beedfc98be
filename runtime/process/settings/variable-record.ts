/** An environment variable that a process reads. Bundles do not carry these records: they are for documentation and for types. */
export interface VariableRecord {
  /** The heading of the reference under which it is listed. */
  readonly group: "Process" | "Data" | "Bounds" | "Access" | "Outgoing" | "Recording" | "Sockets" | "MQTT" | "Tools" | "Metrics and traces";
  readonly meaning: string;
  /** The default value as a user would write it; absent where there is none. */
  readonly preset?: string | number;
  readonly example: string;
  /** True for a variable that no configuration may read. */
  readonly secret?: true;
}
