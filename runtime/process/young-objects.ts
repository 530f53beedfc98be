import { setFlagsFromString } from "node:v8";

/**
 * Makes V8 create every object in the young generation, where garbage is found first. Otherwise V8 watches each line of code that creates
 * objects. Once a hundred objects of a line have lived long, as in a burst of requests, the line creates all later objects in the old
 * generation. An old object keeps all young ones that it refers to until the whole memory is collected, even when it is garbage itself.
 */
export const makeObjectsYoung = (): void => setFlagsFromString("--no-allocation-site-pretenuring");
