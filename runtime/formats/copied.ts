/**
 * Copies a text, because a part of a text may keep the whole text in memory. Texts that live longer than a run are copied, so that ten
 * characters do not keep ten megabytes.
 */
export const copied = (text: string): string => JSON.parse(JSON.stringify(text));
