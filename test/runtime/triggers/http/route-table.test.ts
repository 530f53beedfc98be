import { describe, expect, test } from "vitest";
import { allowOf, RouteTable } from "#runtime/triggers/http/routes.ts";
import { processorMs } from "../../../laws/block/yardstick.ts";

describe("RouteTable", () => {
  test("the order of declaration does not matter", () => {
    const routes = ["/a/:x/c", "/a/b/:y", "/a/*rest", "/:z/b/c"];
    for (const order of [routes, routes.toReversed()]) {
      const table = new RouteTable<string>();
      for (const route of order) table.add("GET", route, route);
      const target = (path: string) => {
        const found = table.find("GET", path);
        return found.kind === "route" ? found.target : found.kind;
      };
      expect(["/a/b/c", "/a/x/c", "/a/x/d", "/a/", "/q/b/c", "/q/b/d", "/a"].map(target)).toEqual([
        "/a/b/:y",
        "/a/:x/c",
        "/a/*rest",
        "/a/*rest",
        "/:z/b/c",
        "none",
        "none",
      ]);
    }
  });

  test("a route that does not know the method gives way to one that does", () => {
    const table = new RouteTable<string>();
    table.add("GET", "/users/me", "me");
    table.add("POST", "/users/:id", "id");
    expect(table.find("POST", "/users/me")).toMatchObject({ target: "id", values: ["me"] });
    const served = new Map([
      ["GET", "me"],
      ["POST", "id"],
    ]);
    expect(table.find("PUT", "/users/me")).toEqual({ kind: "method", served });
    expect(allowOf(served.keys())).toEqual(["GET", "HEAD", "POST"]);
  });

  test("a literal is what its escapes stand for, and a star is the rest only where nothing follows", () => {
    const table = new RouteTable<string>();
    for (const route of ["/a%20b", "/c d", "/x/*y/z"]) table.add("GET", route, route);
    const kinds = ["/a%20b", "/a%2520b", "/c%20d", "/x/z", "/x/q/z", "/x/*y/z"].map((path) => table.find("GET", path).kind);
    expect(kinds).toEqual(["route", "none", "route", "none", "none", "route"]);
    expect(table.add("GET", "/%61%20b", "twice")).toBe(false);
  });

  test("a method and shape can be taken once", () => {
    const table = new RouteTable<string>();
    expect([table.add("GET", "/a/:x", "1"), table.add("GET", "a/{y}", "2"), table.add("POST", "/a/:y", "3")]).toEqual([true, false, true]);
  });

  test("a long path costs no more than the table is large", () => {
    const table = new RouteTable<string>();
    for (let i = 0; i < 12; i++) table.add("GET", `${"/:a/a".repeat(i)}/x`, String(i));
    const ms = processorMs(() => {
      for (let i = 0; i < 200; i++) table.find("GET", "/a".repeat(8_000));
    });
    expect(ms).toBeLessThan(2_000);
  });
});
