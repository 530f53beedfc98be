import type { Run } from "../run/run.ts";
import { own } from "../value/json.ts";

/** A setting of an action that was read at the start: the module has read it under this name. Undefined when it was left out. */
export const setting = <V>(cx: Run, name: string): V => own(cx.config.settings ?? {}, name) as V;
