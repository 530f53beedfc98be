/** An error of a build that this machine cannot do. It is neither a mistake in the configuration nor a bug of ours. */
export class LinkFailure extends Error {
  /** The remedy. */
  readonly hint: string;
  constructor(message: string, hint: string) {
    super(message);
    this.name = "LinkFailure";
    this.hint = hint;
  }
}
