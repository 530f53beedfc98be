/**
 * True for the name of a setting that holds a secret, by its last word: `STRIPE_API_KEY`, `SMTP_PASS`, `botToken`. A public key is none.
 */
export const saysSecret = (name: string): boolean => last.test(name.replaceAll(/(?<=[a-z\d])(?=[A-Z])/g, "_"));

const last =
  /(?:^|[_-])(?:PASS(?:WORD|WD|PHRASE)?|PWD|SECRET|TOKEN|CREDENTIALS?|APIKEY|(?:API|SECRET|PRIVATE|ACCESS|SIGNING|ENCRYPTION|MASTER|AUTH|ROLE)[_-]KEY)$/i;
