// Databases, stores of secrets and the state store.
export {
  /** Asks a database one question, for `/readyz`. */
  ping,
} from "../features/actions/database.ts";
export {
  /** Asks the state store one question, for `/readyz`. */
  stateAnswers,
} from "../state/open.ts";
