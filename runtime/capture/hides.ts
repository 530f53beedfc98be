import type { Act } from "../run/run.ts";

/** True for an action that may hide its data: a record then never shows the answers from which they are made. */
export const hides = ({ spec }: Act): boolean =>
  spec.hide_action === true || spec.hide_data_on_success === true || spec.hide_data_on_error === true || spec.hide_data_on_empty === true;
