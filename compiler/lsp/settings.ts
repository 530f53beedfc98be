import { type LspSettings, presetSettings } from "./session.ts";

/** The settings from any data of a client: values of the wrong type count as absent. */
export function settingsOf(given: unknown): LspSettings {
  if (typeof given !== "object" || given === null) return presetSettings;
  const { environment, lenses, printed } = given as Readonly<Record<string, unknown>>; // an object has members by name
  return {
    ...(typeof environment === "string" && environment !== "" ? { environment } : {}),
    lenses: typeof lenses === "boolean" ? lenses : presetSettings.lenses,
    printed: typeof printed === "boolean" ? printed : presetSettings.printed,
  };
}
