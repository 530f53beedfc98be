/** A feature whose arguments hold a pattern. */
export interface NativePattern {
  /** The pattern as JavaScript has it, where it finds the same in linear time: the printer writes it, for the interpreter alone. */
  readonly native?: string;
}
