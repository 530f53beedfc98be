import type { Json, JsonObject } from "../value/json.ts";

/** A whole response body and its default content type. Data are turned into text when the answer is written, large ones in slices. */
export type Body = WrittenBody | { readonly data: Json; readonly type: string };

/** Text of a whole response body and its default content type. */
export interface WrittenBody {
  readonly text: string;
  readonly type: string;
}

/** An answer that ends the run at once (spec/language 7.4). */
export interface ShortReply {
  readonly http_code?: number;
  readonly headers?: JsonObject;
  /** The body; by default the envelope of the actions that have settled so far. */
  readonly body?: Body;
}

/** Templates of the whole answer, evaluated when the run is over. */
export interface ResponseTemplates {
  readonly headers?: () => JsonObject;
  readonly custom_body?: () => Body;
  /** The body of a failed run, in place of `custom_body`. */
  readonly error_body?: () => Body;
}

/** The answer of a run, ready to be written. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Headers `set-cookie`, when there may be several: their values cannot be joined. */
  readonly cookies?: readonly string[];
  readonly body: string;
}
