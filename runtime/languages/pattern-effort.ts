import type { RE2JS } from "re2js";
import { Failure } from "../value/failure.ts";

/** Steps that one match may take: about a tenth of a second, in which nobody else is served. Most patterns read a million characters. */
const mostSteps = 20_000_000;

/** Steps for the next character of the text, and for each place of the pattern where the match may stand there. */
const stepsOfCharacter = 10;
const stepsOfPlace = 2;

/**
 * How the package goes through a text where it has to know more than whether there is a match: character by character, with all the places
 * of the pattern where the match may stand. It is kept for the next match.
 */
interface Simulation {
  /** Places that it notes of a match: none, where it begins and ends, or those of the groups, too. */
  readonly ncap: number;
  match: (...args: unknown[]) => boolean;
  step: (places: { readonly size: number }, ...rest: unknown[]) => void;
}

/**
 * Makes every match fail that takes too many steps. Steps are counted and no clock is asked, so that the same text always fails or never
 * does. Call the function that it returns with each text before the engine gets it: for a text that is too short to take so many steps the
 * engine stays as it is, and nothing is counted.
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
 * Counts the steps of the engine. The package throws a simulation away whose match has failed, and its counter with it: `whenLost` hears of
 * that.
 */
function bound(engine: RE2JS, whenLost: () => void): void {
  const re2 = engine.re2();
  // The package makes a simulation for the first match that needs one: here for one in an empty text.
  const { executeEngine } = re2;
  re2.executeEngine = re2.doExecuteNFA;
  engine.exec("");
  re2.executeEngine = executeEngine;
  const simulation: Simulation = re2.get();
  const { match, step } = simulation;
  let steps = 0;
  simulation.match = (...args) => {
    // Groups are looked for in a match that has been found: that is part of the same work.
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
