import { useEffect, useState } from "preact/hooks";

/** A place in the console, as the fragment of its address says it. */
export type Place =
  | { readonly at: "map" }
  | { readonly at: "interface"; readonly config: string; readonly target: string }
  | { readonly at: "runs"; readonly filters: Readonly<Record<string, string>> }
  | { readonly at: "run"; readonly id: string }
  | { readonly at: "waiting" }
  | { readonly at: "cluster" }
  | { readonly at: "problems" };

const part = encodeURIComponent;

export const addressOf = {
  map: "#/",
  problems: "#/problems",
  waiting: "#/waiting",
  cluster: "#/cluster",
  interface: (config: string, target: string): string => `#/interface/${part(config)}/${part(target)}`,
  runs: (filters: Readonly<Record<string, string>> = {}): string => {
    const text = new URLSearchParams(filters).toString();
    return text === "" ? "#/runs" : `#/runs?${text}`;
  },
  run: (id: string): string => `#/run/${part(id)}`,
};

export function placeOf(hash: string): Place {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?");
  const [head, ...rest] = path.split("/").map(decoded);
  const [first = "", second = ""] = rest;
  switch (head) {
    case "interface":
      return { at: "interface", config: first, target: second };
    case "runs":
      return { at: "runs", filters: Object.fromEntries(new URLSearchParams(query)) };
    case "run":
      return { at: "run", id: first };
    case "waiting":
    case "cluster":
    case "problems":
      return { at: head };
    default:
      return { at: "map" };
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The place that is shown now. */
export function usePlace(): Place {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const look = (): void => setHash(location.hash);
    addEventListener("hashchange", look);
    return () => removeEventListener("hashchange", look);
  }, []);
  return placeOf(hash);
}
