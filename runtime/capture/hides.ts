import type { Act } from "../run/run.ts";

/** True for an action that may hide its data: a record never shows what they are made of. */
export const hides = ({ spec }: Act): boolean =>
  spec.hide_action === true || spec.hide_data_on_success === true || spec.hide_data_on_error === true || spec.hide_data_on_empty === true;
