/** A page of the cookbook with the files of its template. */
export interface Example {
  readonly title: string;
  readonly template: string;
  readonly files: readonly (readonly [name: string, text: string])[];
}

export function builtPlayground(root: string): Promise<Readonly<Record<string, string>>>;
export function examplesOf(root: string): readonly Example[];
