import { isDeepStrictEqual } from "node:util";
import type { Included } from "../../1-read/files.ts";
import type { ResolvedConfig, ResolvedInterface } from "../../3-resolve/resolved.ts";
import type { FindIn, FindParts, FoundParts, PartFindings } from "../../phases.ts";
import { headOf, interfaceText } from "./fingerprint.ts";
import { type Frame, frameOf, pinned, unpinned } from "./pins.ts";

/** An interface as it was found. */
interface KnownPart {
  readonly findings: PartFindings;
  /** The files beside the configuration that were asked for. */
  readonly included: readonly (readonly [string, Included])[];
}

/** The interfaces of a configuration, by their texts, and all that they have in common. */
interface KnownConfig {
  readonly head: string;
  readonly parts: ReadonlyMap<string, KnownPart>;
}

/** The findings of the parts of a configuration, with those that the next look can use. */
interface KnownParts extends FoundParts {
  readonly known?: KnownConfig;
}

/**
 * Finds the mistakes of a configuration interface by interface. When somebody types into it, one interface is found anew; the others give
 * what they gave `before`, where they stand now.
 */
export const findParts: FindParts<KnownParts> = (config, { sealed, include, findIn, before }) => {
  const whole = (): KnownParts => ({ parts: [findIn(config, include)] });
  // A handler of errors is given what the other interfaces have, so that its findings depend on all of them.
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

/** A text that interfaces share, as a template, shows a secret once, by the first of them: then they are not looked at one by one. */
const isOwn = ({ analysed }: PartFindings, { own }: Frame): boolean =>
  analysed.every(([, { file, start, end }]) => file === own.file && start >= own.start && end <= own.end);
