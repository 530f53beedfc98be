// Databases, stores of secrets and the state store.
export {
  /** The driver of MongoDB. */
  mongodb,
} from "../features/actions/database/mongodb.ts";
export {
  /** The driver of SQL Server. */
  mssql,
} from "../features/actions/database/mssql.ts";
export {
  /** The driver of MySQL and MariaDB. */
  mysql,
} from "../features/actions/database/mysql.ts";
export {
  /** The driver of PostgreSQL. */
  postgres,
} from "../features/actions/database/postgres.ts";
export {
  /** The driver of SQLite. */
  sqlite,
} from "../features/actions/database/sqlite.ts";
export {
  /** Asks a database one question, for `/readyz`. */
  ping,
} from "../features/actions/database.ts";
export {
  /** A secret that AWS KMS decrypts. */
  aws_kms_secret,
} from "../features/secret-stores/aws-kms.ts";
export {
  /** A secret that a command prints. */
  command_secret,
} from "../features/secret-stores/command.ts";
export {
  /** A secret of an environment variable or a file. */
  local_secret,
} from "../features/secret-stores/local.ts";
export {
  /** A secret that a vault answers over HTTP. */
  vault_secret,
} from "../features/secret-stores/vault.ts";
export {
  /** Asks the state store one question, for `/readyz`. */
  stateAnswers,
} from "../state/open.ts";
