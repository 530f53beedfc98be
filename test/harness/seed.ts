import fc from "fast-check";
import { seed } from "./words.ts";

// Loaded before every test file: properties draw from the seed of this run.
fc.configureGlobal({ seed });
