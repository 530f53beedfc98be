import { describe } from "vitest";
import { survivesBadInput } from "./bad-input.ts";
import { packFile, packFolder } from "./packs.ts";
import { replays } from "./replay.ts";
import { sqliteWorld } from "./worlds.ts";

const pack = "sqlite-rest-api-starter";

describe.skipIf(packFolder(pack) === undefined)(pack, () => {
  replays({ clears: "ClearTables", product: "Air Pipe", numbered: true }, sqliteWorld, () => packFile(pack, "schema.sql"));
  survivesBadInput(sqliteWorld, { noNumber: 404, nul: 200 });
});
