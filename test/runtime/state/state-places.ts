import type { Host } from "../../../runtime/process/host.ts";

/** Processes that end with the test. */
export const hosts: Host[] = [];

let names = 0;

/** A place that no other test knows. */
export const fresh = (): { readonly namespace: string; readonly key: string } => ({ namespace: "test", key: `key ${++names}` });

/** Numbers from 0 on, as texts. */
export const numbers = (count: number): string[] => Array.from({ length: count }, (_, i) => String(i));
