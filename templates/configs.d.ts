/**
 * The module that the linker supplies to templates/entry.ts: the configs of the executable, and the settings that were fixed when it was
 * built.
 */
declare module "pipewright:configs" {
  export const configs: readonly import("#runtime/run/interface.ts").Config[];
  export const docs: import("#runtime/triggers/documentation.ts").Documentation | undefined;
  export const enforcement: import("#runtime/enforce/enforcement.ts").Enforcement | undefined;
  export const environment: string;
  export const version: string;
}
