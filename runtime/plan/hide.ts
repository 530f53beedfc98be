/** The parts of an action that answers leave out, in the words of the YAML. A plan and the record of a module have them alike. */
export interface HidePlan {
  readonly hide_action?: true;
  readonly hide_data_on_success?: true;
  readonly hide_data_on_error?: true;
  readonly hide_data_on_empty?: true;
  readonly hide_errors?: true;
}
