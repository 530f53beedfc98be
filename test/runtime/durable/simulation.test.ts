import { expect, test } from "vitest";
import { draws, seed } from "../../harness/rules/words.ts";
import { simulate } from "./simulation.ts";

// The engine of durable runs in a simulated world, for faults F1, F2, F6, F8, F16 and F20. Kills, stops, lost answers and jumps of the
// clock come in any order, and each accepted run comes to its end once. `DRAWS=1000000` makes a million schedules.

const schedules = draws(3_000);

test(
  `${schedules} schedules from seed ${seed} on keep every promise`,
  async () => {
    let [accepted, done, effects, repeats, faults] = [0, 0, 0, 0, 0];
    for (let n = 0; n < schedules; n++) {
      const account = await simulate(seed + n);
      expect(account.broken, `seed ${seed + n}`).toEqual([]);
      accepted += account.accepted;
      done += account.done;
      effects += account.effects;
      repeats += account.repeats;
      faults += account.faults;
    }
    expect(done).toBe(accepted);
    // The schedules have tried something.
    expect(Math.min(accepted, effects, repeats, faults)).toBeGreaterThan(0);
    console.info({ schedules, accepted, done, effects, repeats, faults });
  },
  60_000 + schedules * 200,
);
