/** The part of a file that a place depends on: its interface, and everything outside the interfaces. */
export interface Focus {
  readonly text: string;
  /** The offset of the place in the part. */
  readonly offset: number;
  /** Turns an offset in the part into an offset in the file. */
  readonly whole: (offset: number) => number;
}

/** A range of lines that is kept. */
interface Piece {
  readonly start: number;
  readonly end: number;
}

const header = /^["']?interfaces?["']?\s*:/;

/**
 * Cuts the other interfaces out of a file, by the indentation of its lines: the rest is read and planned in a fraction of the time, and
 * mistakes in other interfaces do not matter. A text without interfaces stays whole.
 */
export function focusOn(text: string, offset: number): Focus {
  const starts = lineStarts(text);
  const lineOf = (index: number): string => text.slice(starts[index], starts[index + 1]);
  const tops = [...starts.keys()].filter((i) => /^[^\s#]/.test(lineOf(i)));
  const pieces = tops.flatMap((first, n): Piece[] => {
    const end = tops[n + 1] ?? starts.length;
    const block = { start: starts[first] ?? 0, end: starts[end] ?? text.length };
    return header.test(lineOf(first)) ? interfacesAround(first, end, { text, starts, offset, lineOf, block }) : [block];
  });
  const [begin] = tops;
  return joined(text, offset, [{ start: 0, end: starts[begin ?? starts.length] ?? text.length }, ...pieces]);
}

interface Lines {
  readonly text: string;
  readonly starts: readonly number[];
  readonly offset: number;
  readonly lineOf: (index: number) => string;
  readonly block: Piece;
}

/** The header of the interfaces, and the interface with the place. */
function interfacesAround(first: number, end: number, { text, starts, offset, lineOf, block }: Lines): Piece[] {
  const inner = Array.from({ length: end - first - 1 }, (_, i) => first + 1 + i).filter((i) => /^\s*[^\s#]/.test(lineOf(i)));
  const indent = inner[0] === undefined ? 0 : lineOf(inner[0]).search(/\S/);
  const heads = inner.filter((i) => lineOf(i).search(/\S/) === indent);
  const [firstHead] = heads;
  if (firstHead === undefined || indent === 0) return [block];
  const at = (index: number | undefined): number => (index === undefined ? block.end : (starts[index] ?? text.length));
  const own = heads.findLastIndex((i) => at(i) <= offset);
  const top = { start: block.start, end: at(firstHead) };
  const isHere = offset >= block.start && offset <= block.end && own >= 0;
  return isHere ? [top, { start: at(heads[own]), end: at(heads[own + 1]) }] : [top];
}

function lineStarts(text: string): readonly number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}

function joined(text: string, offset: number, pieces: readonly Piece[]): Focus {
  let place = 0;
  let from = 0;
  const moved = pieces.map((piece) => {
    const begin = place;
    if (offset >= piece.start && offset <= piece.end) from = begin + offset - piece.start;
    place += piece.end - piece.start;
    return { ...piece, begin };
  });
  return {
    text: pieces.map(({ start, end }) => text.slice(start, end)).join(""),
    offset: from,
    whole(inner) {
      const piece = moved.findLast(({ begin }) => begin <= inner);
      return piece === undefined ? inner : piece.start + inner - piece.begin;
    },
  };
}
