/** Error texts that `show_error_detail: false` replaces by `action failed`: exactly these (spec/language 7.2). */
export function isInternal(error: string): boolean {
  return /^(?:database: |http connect failed: |http connection lost: |address not allowed|manifest: |invalid url|unsafe path segment|unsafe part of a host|unsafe level of a |field |filter |interpolation |post_transforms\[|header )/.test(
    error,
  );
}
