/** Characters that a reader does not see, that move others or may end a line. Line feeds are checked apart. */
const unseen = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Nearly every text has only these characters, and this test is quicker. */
const usual = /^[\n\x20-\x7e]*$/;

const escaped = (character: string): string =>
  Array.from({ length: character.length }, (_, i) => `\\u${character.charCodeAt(i).toString(16).padStart(4, "0")}`).join("");

/**
 * A text whose characters are all visible, except line feeds. Every other character is written as its escape in JSON and JavaScript, so
 * that the text of a literal still means the same.
 */
export const visible = (text: string): string => (usual.test(text) ? text : text.replace(unseen, escaped));

/** Makes a text visible in one line. */
export const visibleLine = (text: string): string => visible(text).replaceAll("\n", "\\u000a");
