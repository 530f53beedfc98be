/**
 * Stands in for the parts of yaml that write texts, make documents of values, or values of documents: a service only reads texts, builds
 * the values itself, and has a writer of its own for `json_to_yaml`.
 */
function absent(): never {
  throw new Error("a bundle uses yaml only to read");
}

export const addPairToJSMap: typeof absent = absent;
export const anchorIsValid: typeof absent = absent;
export const anchorNames: typeof absent = absent;
export const applyReviver: typeof absent = absent;
export const createNode: typeof absent = absent;
export const createNodeAnchors: typeof absent = absent;
export const createStringifyContext: typeof absent = absent;
export const findNewAnchor: typeof absent = absent;
/** A type of YAML 1.1. */
export const merge = undefined;
export const stringify: typeof absent = absent;
export const stringifyCollection: typeof absent = absent;
export const stringifyDocument: typeof absent = absent;
export const stringifyPair: typeof absent = absent;
export const stringifyString: typeof absent = absent;
export const toJS: typeof absent = absent;
export const visit: typeof absent = absent;
export const visitAsync: typeof absent = absent;
