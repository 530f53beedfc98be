import type { Run } from "../run/run.ts";
import { own } from "../value/json.ts";

/**
 * A setting of an action that was read at the start: the module that asks for it has read it under this name. Undefined: it was left out.
 */
export const setting = <V>(cx: Run, name: string): V => own(cx.config.settings ?? {}, name) as V;
