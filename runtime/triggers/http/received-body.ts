import type { Json } from "../../value/json.ts";
import type { Pieces } from "./pieces.ts";

/** A request body: as it was sent, and what it means (spec/surfaces 1). */
export interface Received {
  readonly sent: Pieces;
  readonly value: Json;
}
