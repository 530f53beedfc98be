import { describe } from "vitest";
import { server } from "../harness/peers/postgres-server.ts";
import { packFile, packFolder } from "./packs.ts";
import { survivesBadInput } from "./played/bad-input.ts";
import { replays } from "./played/replay.ts";
import { postgresWorld } from "./played/worlds.ts";

const pack = "rest-api-starter";

describe.skipIf(packFolder(pack) === undefined || server === undefined)(pack, () => {
  replays(
    { clears: "TruncateTables", product: "AirPipe", numbered: false },
    () => postgresWorld(server ?? ""),
    () => packFile(pack, "schema.sql"),
  );
  survivesBadInput(() => postgresWorld(server ?? ""), { noNumber: 500, nul: 500 });
});
