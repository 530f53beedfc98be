/** A text without regard to case. A sigma is one letter: in lower case the last of a word has a form of its own. */
export const folded = (text: string): string => text.toLowerCase().replaceAll("ς", "σ");
