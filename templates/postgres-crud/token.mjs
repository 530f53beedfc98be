// Prints a token of the customer `ada` that holds for an hour. In production an identity provider does this.
import { createHmac } from "node:crypto";

const part = (value) => Buffer.from(JSON.stringify(value)).toString("base64url");
const now = Math.floor(Date.now() / 1000);
const text = `${part({ alg: "HS256" })}.${part({ sub: process.argv[2] ?? "ada", aud: "orders", exp: now + 3600 })}`;
console.log(`${text}.${createHmac("sha256", process.env.JWT_SECRET).update(text).digest("base64url")}`);
