import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Peer } from "./peer.ts";

/** Caddy, written in Go. Its templates are what it has to reshape an answer with: one includes the call that the proxy makes. */
export const caddy: Peer = {
  title: "Caddy",
  program: "caddy",
  version: ["version"],
  get: "apt-get install caddy",
  prepare: ({ folder, port, upstream }) => {
    const site = join(folder, "site");
    mkdirSync(site);
    writeFileSync(join(site, "w3.json"), rows);
    const file = join(folder, "Caddyfile");
    writeFileSync(file, caddyfile(port, upstream, site));
    return {
      args: ["run", "--adapter", "caddyfile", "--config", file],
      env: { HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
    };
  },
};

const caddyfile = (port: number, upstream: string, site: string): string => `{
	admin off
	auto_https off
	log {
		output discard
		level ERROR
	}
}
http://127.0.0.1:${port} {
	handle /w1 {
		header Content-Type application/json
		respond \`{"message":"hello","service":"orders","version":3,"ok":true,"tags":["a","b"]}\`
	}
	handle /items {
		reverse_proxy ${upstream}
	}
	handle /w3 {
		root * ${site}
		rewrite * /w3.json
		templates {
			mime application/json
		}
		file_server
	}
}
`;

const rows =
  `{{$answer := httpInclude "/items" | fromJson}}[{{range $i, $item := $answer.data.items}}{{if $i}},{{end}}` +
  `{{dict "id" $item.id "name" $item.name "unit_price" $item.price "qty" $item.qty "category" $item.category "note" $item.note "source" "stub" | toJson}}` +
  `{{end}}]`;
