import { describe } from "vitest";
import { server } from "../harness/postgres-server.ts";
import { survivesBadInput } from "./bad-input.ts";
import { packFile, packFolder } from "./packs.ts";
import { replays } from "./replay.ts";
import { postgresWorld } from "./worlds.ts";

const pack = "rest-api-starter";

describe.skipIf(packFolder(pack) === undefined || server === undefined)(pack, () => {
  replays(
    { clears: "TruncateTables", product: "AirPipe", numbered: false },
    () => postgresWorld(server ?? ""),
    () => packFile(pack, "schema.sql"),
  );
  survivesBadInput(() => postgresWorld(server ?? ""), { noNumber: 500, nul: 500 });
});
