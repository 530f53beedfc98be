/** A feature whose arguments hold a pattern. */
export interface NativePattern {
  /**
   * The pattern in the syntax of JavaScript, where JavaScript finds the same in linear time. The printer writes it for the interpreter
   * alone.
   */
  readonly native?: string;
}
