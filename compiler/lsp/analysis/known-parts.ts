import { isDeepStrictEqual } from "node:util";
import type { Included } from "../../1-read/files.ts";
import type { ResolvedConfig, ResolvedInterface } from "../../3-resolve/resolved.ts";
import type { FindIn, FindParts, FoundParts, PartFindings } from "../../phases.ts";
import { headOf, interfaceText } from "./fingerprint.ts";
import { type Frame, frameOf, pinned, unpinned } from "./pins.ts";

/** The findings of an interface from an earlier analysis. */
interface KnownPart {
  readonly findings: PartFindings;
  /** The files beside the configuration that were read. */
  readonly included: readonly (readonly [string, Included])[];
}

/** The interfaces of a configuration by their texts, and the text of their common surroundings. */
interface KnownConfig {
  readonly head: string;
  readonly parts: ReadonlyMap<string, KnownPart>;
}

/** The findings of the parts of a configuration, with the findings that the next analysis can reuse. */
interface KnownParts extends FoundParts {
  readonly known?: KnownConfig;
}

/**
 * Finds the mistakes of a configuration interface by interface. After an edit of one interface only this interface is analysed again. The
 * others give their findings from `before`, at their current places.
 */
export const findParts: FindParts<KnownParts> = (config, { sealed, include, findIn, before }) => {
  const whole = (): KnownParts => ({ parts: [findIn(config, include)] });
  // An error handler gets data of the other interfaces, so its findings depend on all of them.
  if (config.onError !== undefined || config.interfaces.length < 2) return whole();
  const frames = config.interfaces.flatMap((target) => frameOf(config, target) ?? []);
  const [frame] = frames;
  if (frame === undefined || frames.length < config.interfaces.length) return whole();
  const head = headOf(config, sealed, frame.interfaces);
  const earlier = before?.known?.head === head ? before.known.parts : new Map<string, KnownPart>();
  const next = new Map<string, KnownPart>();
  const parts = config.interfaces.map((target, i) => partOf(target, frames[i] ?? frame, { config, earlier, next, include, findIn }));
  const areOwn = parts.every((part, i) => isOwn(part, frames[i] ?? frame));
  return { ...(areOwn ? { parts } : whole()), known: { head, parts: next } };
};

function partOf(target: ResolvedInterface, frame: Frame, { config, earlier, next, include, findIn }: Surroundings): PartFindings {
  const key = interfaceText(target, frame);
  const before = earlier.get(key);
  const isSame = before?.included.every(([path, had]) => isDeepStrictEqual(include(path), had)) === true;
  if (isSame) {
    next.set(key, before);
    return unpinned(before.findings, frame);
  }
  const included: [string, Included][] = [];
  const findings = findIn({ ...config, interfaces: [target] }, (path) => {
    const file = include(path);
    included.push([path, file]);
    return file;
  });
  const movable = pinned(findings, frame);
  if (movable !== undefined) next.set(key, { findings: movable, included });
  return findings;
}

interface Surroundings {
  readonly config: ResolvedConfig;
  readonly earlier: ReadonlyMap<string, KnownPart>;
  readonly next: Map<string, KnownPart>;
  readonly include: (path: string) => Included;
  readonly findIn: FindIn;
}

/**
 * True when all findings lie in the interface itself. A shared text, such as a template, shows a secret only once, through its first user,
 * so its users cannot be analysed one by one.
 */
const isOwn = ({ analysed }: PartFindings, { own }: Frame): boolean =>
  analysed.every(([, { file, start, end }]) => file === own.file && start >= own.start && end <= own.end);
