import Big from "big.js";
import type { Json } from "../json.ts";
import { text } from "../values.ts";
