import type * as present from "../features/actions/email/ses.ts";

export const ses: typeof present.ses = () => {
  throw new TypeError("mail by SES that the bundle was not linked for");
};
