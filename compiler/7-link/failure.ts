/** A build that this machine cannot do: no mistake of the configuration, and none of ours. */
export class LinkFailure extends Error {
  /** The remedy. */
  readonly hint: string;
  constructor(message: string, hint: string) {
    super(message);
    this.name = "LinkFailure";
    this.hint = hint;
  }
}
