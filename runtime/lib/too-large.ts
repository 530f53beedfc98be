/** V8's words for a text, a list or a buffer that is longer than there can be, and for a table with more entries. */
const words =
  /^(?:Invalid (?:string|array|typed array) length|Cannot create a string longer than|Array buffer allocation failed|(?:Set|Map) maximum size exceeded)/;

/**
 * True for what is thrown when a value would be larger than the engine can hold. Data causes that, such as a long text that is repeated: it is no bug,
 * and the log needs no stack.
 */
export const isTooLarge = (thrown: unknown): boolean => thrown instanceof Error && words.test(thrown.message);

/** The reason that a failure gives then. */
export const tooLarge = "value is too large";
