/** A place where a run reaches outside: a reviewed config, a changed one, and the refusal of what it touches more. */
export interface Door {
  readonly name: string;
  /** Its actions, matchers, drivers, stores and kinds of capabilities. */
  readonly of: readonly string[];
  readonly global?: string;
  /** Actions that may run. */
  readonly reviewed: string;
  /** The part before the actions in the changed config, where it is another one. */
  readonly changedGlobal?: string;
  readonly changed: string;
  /** The message behind `manifest: `. */
  /** Another interface, written on one line. */
  readonly beside?: string;
  readonly refused: string;
  readonly body?: string;
}

/** An action that calls by HTTP. */
export const http = (fields: string): string => `- name: A\n  http: { ${fields} }`;
