import { isDeepStrictEqual } from "node:util";
import type { Document } from "../../1-read/document.ts";
import type { Included } from "../../1-read/files.ts";
import { read } from "../../1-read/index.ts";
import type { ResolvedConfig, ResolvedInterface } from "../../3-resolve/resolved.ts";
import type { Report } from "../../diagnostics/diagnostic.ts";
import type { Earlier, FindIn, PartFindings, Reported } from "../../phases.ts";
import { headOf, interfaceText } from "./fingerprint.ts";
import { type Frame, frameOf, pinned, unpinned } from "./pins.ts";

/** A file as it was read, with what was reported. */
interface ReadFile {
  readonly text: string;
  readonly document: Document | undefined;
  readonly reported: readonly Reported[];
}

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

/** Characters of texts that are kept in all. A project beyond this is looked at anew each time. */
const mostCharacters = 32 * 1024 * 1024;

/**
 * Findings of the last look at a project. A look at a text that somebody types into finds one interface anew; the others give what they
 * gave, where they stand now. Findings of the look before the last one are forgotten.
 */
export class LastLook implements Earlier {
  readonly #files: ReadonlyMap<string, ReadFile>;
  readonly #configs: ReadonlyMap<string, KnownConfig>;
  readonly #nextFiles = new Map<string, ReadFile>();
  readonly #nextConfigs = new Map<string, KnownConfig>();
  #characters = 0;

  constructor(before?: LastLook) {
    this.#files = before === undefined ? new Map() : before.#nextFiles;
    this.#configs = before === undefined ? new Map() : before.#nextConfigs;
  }

  /** The look that follows this one. */
  next(): LastLook {
    return new LastLook(this);
  }

  read(text: string, file: string, report: Report): Document | undefined {
    const past = this.#files.get(file);
    const current = past?.text === text ? past : readFile(text, file);
    if (this.#hasRoomFor(text.length)) this.#nextFiles.set(file, current);
    for (const one of current.reported) report(...one);
    return current.document;
  }

  partsOf(
    config: ResolvedConfig,
    sealed: ReadonlySet<string>,
    include: (path: string) => Included,
    findIn: FindIn,
  ): readonly PartFindings[] {
    const whole = (): readonly PartFindings[] => [findIn(config, include)];
    // A handler of errors is given what the other interfaces have, so that its findings depend on all of them.
    if (config.onError !== undefined || config.interfaces.length < 2) return whole();
    const frames = config.interfaces.flatMap((target) => frameOf(config, target) ?? []);
    const [frame] = frames;
    if (frame === undefined || frames.length < config.interfaces.length) return whole();
    const head = headOf(config, sealed, frame.interfaces);
    const before = this.#configs.get(config.document.file);
    const earlier = before?.head === head ? before.parts : new Map<string, KnownPart>();
    const next = new Map<string, KnownPart>();
    const parts = config.interfaces.map((target, i) =>
      this.#partOf(target, frames[i] ?? frame, { config, earlier, next, include, findIn }),
    );
    if (this.#hasRoomFor(head.length)) this.#nextConfigs.set(config.document.file, { head, parts: next });
    return parts.every((part, i) => isOwn(part, frames[i] ?? frame)) ? parts : whole();
  }

  #partOf(target: ResolvedInterface, frame: Frame, { config, earlier, next, include, findIn }: Surroundings): PartFindings {
    const key = interfaceText(target, frame);
    const before = earlier.get(key);
    const isSame = before?.included.every(([path, had]) => isDeepStrictEqual(include(path), had)) === true;
    if (isSame) {
      if (this.#hasRoomFor(key.length + textsIn(before.included))) next.set(key, before);
      return unpinned(before.findings, frame);
    }
    const included: [string, Included][] = [];
    const findings = findIn({ ...config, interfaces: [target] }, (path) => {
      const file = include(path);
      included.push([path, file]);
      return file;
    });
    const movable = pinned(findings, frame);
    if (movable !== undefined && this.#hasRoomFor(key.length + textsIn(included))) next.set(key, { findings: movable, included });
    return findings;
  }

  #hasRoomFor(characters: number): boolean {
    this.#characters += characters;
    return this.#characters <= mostCharacters;
  }
}

interface Surroundings {
  readonly config: ResolvedConfig;
  readonly earlier: ReadonlyMap<string, KnownPart>;
  readonly next: Map<string, KnownPart>;
  readonly include: (path: string) => Included;
  readonly findIn: FindIn;
}

const textsIn = (included: KnownPart["included"]): number =>
  included.reduce((sum, [, found]) => sum + ("text" in found ? found.text.length : 0), 0);

function readFile(text: string, file: string): ReadFile {
  const reported: Reported[] = [];
  const document = read(text, file, (...one) => void reported.push(one));
  return { text, document, reported };
}

/** A text that interfaces share, as a template, shows a secret once, by the first of them: then they are not looked at one by one. */
const isOwn = ({ analysed }: PartFindings, { own }: Frame): boolean =>
  analysed.every(([, { file, start, end }]) => file === own.file && start >= own.start && end <= own.end);
