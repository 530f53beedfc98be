import type { StartForm } from "../start/form.ts";

/** A form as plain data: its judge is called by name, a function of runtime/start/judges.ts. */
export interface StartFormPlan extends Omit<StartForm, "judge" | "items"> {
  readonly judge?: JudgeName;
  readonly items?: StartFormPlan;
}

export type JudgeName = keyof typeof import("../start/judges.ts") & `${string}_${string}`;

/** Stands in the plan of an action for a setting that is read when the process starts; `started` is its name. */
export interface StartedPlan {
  readonly started: string;
}
