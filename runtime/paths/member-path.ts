/** The path of a member, as tests write paths: `user.name`, `["a.b"]` (spec/language 2.9). */
export function memberPath(of: string, key: string): string {
  if (/^[\p{L}\p{N}_-]+$/u.test(key)) return of === "" ? key : `${of}.${key}`;
  return `${of}["${key.replace(/[\\"]/g, "\\$&")}"]`;
}

/** The path of an element. */
export const elementPath = (of: string, index: number): string => `${of}[${index}]`;
