/** Another program for the same work, configured as an experienced user would do it. */
export interface Peer {
  readonly title: string;
  /** The program, or the script of Node that it is. */
  readonly program: string;
  readonly script?: boolean;
  /** The arguments with which the program prints its version. */
  readonly version: readonly string[];
  /** The command that installs the program. */
  readonly get: string;
  /** Writes its files to a folder of its own. */
  readonly prepare: (place: Place) => { readonly args: readonly string[]; readonly env: Readonly<Record<string, string>> };
}

export interface Place {
  readonly folder: string;
  readonly port: number;
  /** The origin of the service that it calls. */
  readonly upstream: string;
}
