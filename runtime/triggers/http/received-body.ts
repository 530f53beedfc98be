import type { Json } from "../../value/json.ts";
import type { Pieces } from "./pieces.ts";

/** A request body: its bytes as they were sent, and its value (spec/surfaces 1). */
export interface Received {
  readonly sent: Pieces;
  readonly value: Json;
}
