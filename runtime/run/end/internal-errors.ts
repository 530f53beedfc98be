/** Error texts that `show_error_detail: false` replaces by `action failed`: exactly these (spec/language 7.2). */
export function isInternal(error: string): boolean {
  // choice: whatever tells hosts, files or accounts of the operator, as a failed connection of any action does.
  if (
    /^(?:email: \d+ of \d+ not sent; row \d+: )?(?:\w+(?: \w+)?:? connect failed: |an AWS file |aws: credential_process: |(?:discover|http connection lost): |agent: (?!the answer |the service has |two tools )|sftp: the host )/.test(
      error,
    )
  )
    return true;
  return /^(?:database: |address not allowed|manifest: |invalid url|unsafe path segment|unsafe part of a host|unsafe level of a |field |filter |interpolation |post_transforms\[|header )/.test(
    error,
  );
}
