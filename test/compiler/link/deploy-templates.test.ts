import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { defaultLimits } from "#runtime/process/host.ts";
import { parseFlags } from "#runtime/process/settings/options.ts";

// The Dockerfile and the systemd unit of a new project say only what the executable knows.

const read = (file: string): string => readFileSync(new URL(`../../../templates/project/${file}`, import.meta.url), "utf8");
const dockerfile = read("Dockerfile");
const unit = read("deploy/service.service");
const instruction = (name: string): string => new RegExp(`^${name} (.+)$`, "m").exec(dockerfile)?.[1] ?? "";
const setting = (name: string): string => new RegExp(`^${name}=(.*)$`, "m").exec(unit)?.[1] ?? "none";

test("their commands have flags that exist", () => {
  const [entry, ...served] = JSON.parse(instruction("ENTRYPOINT"));
  expect(parseFlags(served)).toEqual({ vars: ["/etc/service/vars.yaml"] });
  const [asked, ...asking] = JSON.parse(/ CMD (\[.*\])$/m.exec(dockerfile)?.[1] ?? "[]");
  expect([asked, parseFlags(asking)]).toEqual([entry, { healthcheck: true }]);
  const [, ...started] = setting("ExecStart").split(" ");
  expect(parseFlags(started)).toMatchObject({ port: instruction("EXPOSE"), vars: ["${CREDENTIALS_DIRECTORY}/vars.yaml"] });
});

test("the image has neither root nor a shell, and its base is an argument", () => {
  const [, last = ""] = dockerfile.split(/^FROM \$\{BASE\}$/m);
  expect(dockerfile).toMatch(/^ARG BASE=gcr\.io\/distroless\/cc-debian12:nonroot$/m);
  expect(last).not.toMatch(/^RUN /m);
  expect(last).toMatch(/^USER 65532:65532$/m);
  expect(last).not.toMatch(/^(?:ENTRYPOINT|CMD|HEALTHCHECK .*CMD) [^[]*$/m);
});

test("the unit gives a drain its time, tells the first process alone, and does not try what cannot succeed", () => {
  const seconds = Number(/^(\d+)s$/.exec(setting("TimeoutStopSec"))?.[1]);
  expect(seconds * 1_000).toBeGreaterThan(defaultLimits.shutdownGraceMs + 5_000);
  expect(setting("KillMode")).toBe("mixed");
  expect(setting("RestartPreventExitStatus").split(" ")).toEqual(["3", "78"]);
  for (const name of ["NoNewPrivileges", "DynamicUser", "PrivateTmp", "PrivateDevices", "ProtectHome", "RestrictNamespaces"])
    expect(setting(name)).toBe("yes");
  expect([setting("ProtectSystem"), setting("CapabilityBoundingSet")]).toEqual(["strict", ""]);
});
