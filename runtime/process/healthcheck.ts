import { get } from "node:http";

/** How long the answer may take. */
const limitMs = 3_000;

/** Whether a process serves at this address: for containers, which have no other program to ask with. */
export function isHealthy(address: string, port: number): Promise<boolean> {
  const host = address === "0.0.0.0" ? "127.0.0.1" : address === "::" ? "::1" : address;
  return new Promise((resolve) => {
    const asked = get({ host, port, path: "/livez", timeout: limitMs, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    asked.on("timeout", () => asked.destroy());
    asked.on("error", () => resolve(false));
    asked.on("close", () => resolve(false));
  });
}
