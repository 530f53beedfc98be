import type * as present from "../keys/jwks.ts";

export const keyFinder: typeof present.keyFinder = () => {
  throw new TypeError("a key set that the bundle was not linked for");
};
