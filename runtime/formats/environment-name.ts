/** Why a text cannot be the name of an environment, which is part of file names and topics; undefined where it can. */
export const environmentProblem = (name: string): string | undefined =>
  /^[a-z0-9-]{1,64}$/.test(name) ? undefined : `environment '${name}': use 1 to 64 of a-z, 0-9 and -`;
