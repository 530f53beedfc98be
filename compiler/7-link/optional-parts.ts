import type { RuntimePart } from "../5-analyse/analysed.ts";
import type { PrintedModule } from "../6-print/index.ts";

/** The files of optional parts of the runtime. Few modules need them and the packages that only they import. */
const files: Readonly<Record<RuntimePart, string>> = {
  json_path: "paths/json-path.ts",
  key_sets: "keys/jwks.ts",
  mcp_client: "features/actions/agent/mcp-tools.ts",
  ses: "features/actions/email/ses.ts",
  upgrades: "triggers/http/upgrade.ts",
};

export const optionalParts = Object.keys(files) as readonly RuntimePart[]; // the keys of the record

/** A file of the runtime that a bundle may replace by the file of the same name in `runtime/absent/`. */
export const fileOf = (part: RuntimePart): string => files[part];

/** True when a link needs a part. A link without modules serves later modules, which may need any part. */
export const isNeeded = (part: RuntimePart, modules: readonly PrintedModule[]): boolean =>
  modules.length === 0 || modules.some(({ uses }) => uses.parts.includes(part));
