/** Where the companies behind the protocols of models answer; the compiler tells the manifest of the same addresses. */
export const modelServices = { openai: "https://api.openai.com/v1", anthropic: "https://api.anthropic.com/v1" } as const;
