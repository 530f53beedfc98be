/** Numbers for those who watch the bus of a service. */
export interface BusReport {
  /** False while other nodes cannot be reached. */
  readonly connected: boolean;
  /** Messages that some process may never hear. */
  readonly lost: number;
  /** Milliseconds that its last sign of life took until this process heard it again; absent where no other process can hear it. */
  readonly lag?: number;
}
