import { setFlagsFromString } from "node:v8";

/**
 * Has V8 make every object among the young ones, where garbage is found first. It would otherwise watch each line of code that makes
 * objects: when a hundred of them have lived for long, as in a burst of requests, that line makes its objects among the old ones for good.
 * An old object keeps all young ones that it refers to until all memory is looked at, also when nothing refers to it any more.
 */
export const makeObjectsYoung = (): void => setFlagsFromString("--no-allocation-site-pretenuring");
