import { setFlagsFromString } from "node:v8";

/**
 * Has every object made among the young ones, which the garbage collector looks at first. V8 would otherwise make objects of a kind among
 * the old ones once a hundred of that kind have lived for long, as those of all requests do for a moment while there are too many. It never
 * takes that back, and each object that is made so keeps the young ones that it knows of, until all memory is looked at.
 */
export const makeObjectsYoung = (): void => setFlagsFromString("--no-allocation-site-pretenuring");
