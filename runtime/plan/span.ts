/** A place in a source file: UTF-16 offsets, end exclusive. Line and column are computed when shown. */
export interface Span {
  readonly file: string;
  readonly start: number;
  readonly end: number;
}
