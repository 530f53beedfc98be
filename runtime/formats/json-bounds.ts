/** Deepest nesting of a JSON text from outside (spec/surfaces 1), so that recursive functions may walk the value later. */
export const maxDepth = 128;

/** Objects, lists and lines of one text. */
const mostParts = 1_000_000;

/** Different names of members in one text: a new name takes a microsecond to read and another to write, a repeated name a tenth of that. */
const mostNames = 200_000;

/** Characters of the shortest text that can hold `mostNames` names: each takes two quotes, a character, a colon, a value and a comma. */
const shortestOfNames = mostNames * 6;

/**
 * Names are counted by their hashes, so a few names beyond the bound may pass. The seed is random: no sender can choose names that share a
 * hash.
 */
const seed = (crypto.getRandomValues(new Int32Array(1))[0] ?? 0) | 1;

/** The bits of a hash: enough that hardly any two names share one, even at the bound. */
const hashBits = 22;

const code = { quote: 0x22, backslash: 0x5c, colon: 0x3a, newline: 0x0a, blank: 0x20 } as const;

/**
 * The reason why a JSON text may not be parsed: parsing it would hold up all other requests. Undefined when it may be parsed. The check
 * looks at brackets and quotes only, which takes a few milliseconds for a megabyte; the parser decides whether the text is JSON.
 */
export const excess = (text: string): string | undefined => looked(text).reason;

/** Members from which on V8 keeps an object as a table. To read a name then takes the parser as long as to read a text. */
const wideObject = 128;

/**
 * The reason of `excess`, and the number of texts that cost the parser as much as dozens of other characters. These are all texts that are
 * not names, and the names of wide objects, repeated ones included.
 */
export function looked(text: string): { readonly reason?: string; readonly texts: number } {
  const hashes = text.length < shortestOfNames ? undefined : new Uint32Array(2 ** (hashBits - 5));
  /** The names so far of the object that is open at each depth. */
  const members = new Uint32Array(maxDepth + 1);
  let [depth, parts, names, texts] = [0, 0, 0, 0];
  const refused = (reason: string) => ({ reason, texts });
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at);
    if (character === code.quote) {
      const end = endOfString(text, at + 1);
      if (isName(text, end + 1)) {
        if (hashes !== undefined && isNew(hashes, text, at + 1, end) && ++names > mostNames)
          return refused(`more than ${mostNames} different names`);
        members[depth] = (members[depth] ?? 0) + 1;
        if ((members[depth] ?? 0) > wideObject) texts += 1;
      } else texts += 1;
      at = end;
    } else if (character === code.newline) parts += 1;
    // `[` and `{`, then `]` and `}`.
    else if ((character | code.blank) === 0x7b) {
      parts += 1;
      depth += 1;
      if (depth > maxDepth) return refused(tooDeep);
      members[depth] = 0;
    } else if ((character | code.blank) === 0x7d) depth -= 1;
    if (parts > mostParts) return refused(`more than ${mostParts} objects and lists`);
  }
  return { texts };
}

export const tooDeep = `nested too deeply: more than ${maxDepth} levels`;

/** The offset of the quote that ends a string; the end of the text when there is none. */
function endOfString(text: string, start: number): number {
  let end = start;
  for (; end < text.length; end++) {
    const character = text.charCodeAt(end);
    if (character === code.quote) break;
    if (character === code.backslash) end += 1;
  }
  return end;
}

function isName(text: string, behind: number): boolean {
  let at = behind;
  while (text.charCodeAt(at) <= code.blank) at += 1;
  return text.charCodeAt(at) === code.colon;
}

function isNew(words: Uint32Array, text: string, start: number, end: number): boolean {
  let hash = seed;
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x5bd1e995) ^ (hash >>> 15);
  const bit = hash >>> (32 - hashBits);
  const word = words[bit >>> 5] ?? 0;
  words[bit >>> 5] = word | (1 << (bit & 31));
  return (word & (1 << (bit & 31))) === 0;
}
