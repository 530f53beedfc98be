import { describe } from "vitest";
import { packFile, packFolder } from "./packs.ts";
import { survivesBadInput } from "./played/bad-input.ts";
import { replays } from "./played/replay.ts";
import { sqliteWorld } from "./played/worlds.ts";

const pack = "sqlite-rest-api-starter";

describe.skipIf(packFolder(pack) === undefined)(pack, () => {
  replays({ clears: "ClearTables", product: "Air Pipe", numbered: true }, sqliteWorld, () => packFile(pack, "schema.sql"));
  survivesBadInput(sqliteWorld, { noNumber: 404, nul: 200 });
});
