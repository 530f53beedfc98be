import type { JSX } from "preact";

/** Our sign and name. */
export const Brand = (): JSX.Element => (
  <span class="brand">
    <svg viewBox="0 0 16 16" width="18" height="18" aria-hidden="true">
      <path d="M2 3.5h5a3 3 0 0 1 3 3v3a3 3 0 0 0 3 3h1" />
      <circle cx="2.5" cy="3.5" r="1.6" />
      <circle cx="13.5" cy="12.5" r="1.6" />
    </svg>
    pipewright
  </span>
);
