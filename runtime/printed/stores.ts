// Databases, stores of secrets and the state store.
export {
  /** The driver of MongoDB. */
  mongodb,
} from "../actions/database/mongodb.ts";
export {
  /** The driver of SQL Server. */
  mssql,
} from "../actions/database/mssql.ts";
export {
  /** The driver of MySQL and MariaDB. */
  mysql,
} from "../actions/database/mysql.ts";
export {
  /** The driver of PostgreSQL. */
  postgres,
} from "../actions/database/postgres.ts";
export {
  /** The driver of SQLite. */
  sqlite,
} from "../actions/database/sqlite.ts";
export {
  /** Asks a database one question, for `/readyz`. */
  ping,
} from "../actions/database.ts";
export {
  /** A secret that AWS KMS decrypts. */
  aws_kms_secret,
} from "../secrets/aws-kms.ts";
export {
  /** A secret that a command prints. */
  command_secret,
} from "../secrets/command.ts";
export {
  /** A secret of an environment variable or a file. */
  local_secret,
} from "../secrets/local.ts";
export {
  /** A secret that a vault answers over HTTP. */
  vault_secret,
} from "../secrets/vault.ts";
export {
  /** Asks the state store one question, for `/readyz`. */
  stateAnswers,
} from "../state/open.ts";
