import type { StartForm } from "../start/form.ts";

/** A form as plain data: its judge is called by name, a function of runtime/start/judges.ts. */
export interface StartFormPlan extends Omit<StartForm, "judge" | "items"> {
  readonly judge?: JudgeName;
  readonly items?: StartFormPlan;
}

export type JudgeName = keyof typeof import("../start/judges.ts") & `${string}_${string}`;

/** In the plan of an action: the setting that was read under this name. */
export interface StartedPlan {
  readonly started: string;
}
