/** An entry of a list of transforms. */
export interface Entry {
  readonly step: number;
  readonly transform: string;
  readonly around: Entry | undefined;
}

/** The place before the first entry of `post_transforms`, around which there is no list. */
export const outermost: Entry = { step: -1, transform: "", around: undefined };

/** The list inside an entry, as errors name it: `post_transforms[0].nested_transforms`. */
export const placeOf = (entry: Entry | undefined): string =>
  entry === undefined ? "post_transforms" : `${placeOf(entry.around)}[${entry.step}].${entry.transform}`;
