/** Stands in for schemas and types that no service uses: it reads texts by the core schema of YAML 1.2. */
export const binary = undefined;
export const floatTime = undefined;
export const intTime = undefined;
export const omap = undefined;
export const pairs = undefined;
export const schema = undefined;
export const set = undefined;
export const timestamp = undefined;
