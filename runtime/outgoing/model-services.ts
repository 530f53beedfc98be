/** Addresses of the companies behind the protocols of models. The compiler writes the same addresses into the manifest. */
export const modelServices = { openai: "https://api.openai.com/v1", anthropic: "https://api.anthropic.com/v1" } as const;
