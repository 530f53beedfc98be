import { get } from "node:http";

/** Milliseconds that the answer may take. */
const limitMs = 3_000;

/** True when a process serves at this address. Containers ask it, because they have no other program for it. */
export function isHealthy(address: string, port: number): Promise<boolean> {
  const host = address === "0.0.0.0" ? "127.0.0.1" : address === "::" ? "::1" : address;
  return new Promise((resolve) => {
    const request = get({ host, port, path: "/livez", timeout: limitMs, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    request.on("timeout", () => request.destroy());
    request.on("error", () => resolve(false));
    request.on("close", () => resolve(false));
  });
}
