import anyAscii from "any-ascii";

/**
 * A text as part of an address: small letters, digits and single hyphens. Every script is written in ASCII (spec/transforms 4); every run of other
 * characters is one hyphen, none at the ends. May be empty.
 */
export function slug(text: string): string {
  return anyAscii(text.normalize("NFC"))
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "");
}
