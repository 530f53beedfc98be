/** Numbers that metrics and health show of the bus of a service. */
export interface BusReport {
  /** False while other nodes cannot be reached. */
  readonly connected: boolean;
  /** Messages that some process may never hear. */
  readonly lost: number;
  /** Milliseconds from the last sign of life of this process until it heard that sign itself; absent where no other process can exist. */
  readonly lag?: number;
}
