declare module "*.css";

/** Written by the build from the pages of the cookbook and the templates that they name. */
declare module "pipewright:examples" {
  export const examples: readonly {
    readonly title: string;
    readonly template: string;
    readonly files: readonly (readonly [name: string, text: string])[];
  }[];
  export const version: string;
}
