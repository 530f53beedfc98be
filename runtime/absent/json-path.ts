import type * as present from "../paths/json-path.ts";

export const parseQuery: typeof present.parseQuery = () => {
  throw new TypeError("a query that the bundle was not linked for");
};
