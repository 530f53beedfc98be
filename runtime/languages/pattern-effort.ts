import type { RE2JS } from "re2js";
import { Failure } from "../value/failure.ts";

/**
 * Steps that one match may take: about a tenth of a second, in which no other request is served. Most patterns read a million characters.
 */
const mostSteps = 20_000_000;

/** Steps for the next character of the text, and for each place of the pattern where the match may stand there. */
const stepsOfCharacter = 10;
const stepsOfPlace = 2;

/**
 * The part of the package that finds where a match begins and ends. It reads the text character by character, and keeps all places of the
 * pattern at which the match may be. The same simulation serves one match after the other.
 */
interface Simulation {
  /** Places of a match that it records: none, its begin and end, or also those of the groups. */
  readonly ncap: number;
  match: (...args: unknown[]) => boolean;
  step: (places: { readonly size: number }, ...rest: unknown[]) => void;
}

/**
 * Makes every match fail that takes too many steps. Steps are counted instead of time, so that the same text always fails or never does.
 * Call the function that it returns with each text before the engine gets it. For a text that is too short to take so many steps the engine
 * stays as it is, and nothing is counted.
 */
export function boundEffort(engine: RE2JS): (text: string) => string {
  const short = mostSteps / (engine.programSize() * stepsOfPlace + stepsOfCharacter);
  let isBounded = false;
  return (text) => {
    if (isBounded || text.length <= short) return text;
    bound(engine, () => {
      isBounded = false;
    });
    isBounded = true;
    return text;
  };
}

/**
 * Counts the steps of the engine. When a match fails in this way, the package throws away the simulation together with its counter;
 * `whenLost` is called then.
 */
function bound(engine: RE2JS, whenLost: () => void): void {
  const re2 = engine.re2();
  // The package makes a simulation for the first match that needs one. A match in an empty text makes it here.
  const { executeEngine } = re2;
  re2.executeEngine = re2.doExecuteNFA;
  engine.exec("");
  re2.executeEngine = executeEngine;
  const simulation: Simulation = re2.get();
  const { match, step } = simulation;
  let steps = 0;
  simulation.match = (...args) => {
    // The groups are found by a second pass over a match that was found: its steps are added to those of the first.
    if (simulation.ncap <= 2) steps = 0;
    return match.apply(simulation, args);
  };
  simulation.step = (places, ...rest) => {
    steps += places.size * stepsOfPlace + stepsOfCharacter;
    if (steps > mostSteps) {
      whenLost();
      throw new Failure("transform", tooManySteps);
    }
    step.call(simulation, places, ...rest);
  };
  re2.put(simulation);
}

const tooManySteps = `pattern takes more than ${mostSteps} steps for one match; use a shorter text, or a pattern that may go on in fewer ways`;
