/** The methods that pg 8 offers a query on its connection (lib/connection.js) beyond the published types. */
export interface Wire {
  readonly stream: { cork(): void; uncork(): void };
  /** Texts of the prepared statements of this connection, by name, oldest first; pg adds to it when the server has parsed one. */
  readonly parsedStatements: Record<string, string>;
  query(text: string): void;
  parse(statement: { readonly name: string; readonly text: string; readonly types?: readonly number[] }): void;
  bind(values: { readonly statement: string; readonly values: readonly (string | null)[] }): void;
  describe(portal: { readonly type: "P" }): void;
  execute(): void;
  close(statement: { readonly type: "S"; readonly name: string }): void;
  sync(): void;
  sendCopyFail(reason: string): void;
  once(event: "bindComplete", listener: () => void): void;
  removeListener(event: "bindComplete", listener: () => void): void;
}
