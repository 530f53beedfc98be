import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Peer } from "./peer.ts";

/** nginx, written in C, with its module for JavaScript (njs): a call inside it is a subrequest that the proxy answers. */
export const nginx: Peer = {
  title: "nginx with njs",
  program: "nginx",
  version: ["-v"],
  get: "apt-get install nginx libnginx-mod-http-js",
  prepare: ({ folder, port, upstream }) => {
    const modules = process.env.NGINX_MODULES ?? "/usr/lib/nginx/modules";
    mkdirSync(join(folder, "logs"));
    writeFileSync(join(folder, "rows.js"), script);
    const file = join(folder, "nginx.conf");
    writeFileSync(file, configuration(folder, modules, port, new URL(upstream).host));
    return { args: ["-p", folder, "-c", file, "-e", "/dev/null"], env: {} };
  },
};

const configuration = (folder: string, modules: string, port: number, upstream: string): string => `daemon off;
master_process off;
worker_processes 1;
pid ${folder}/nginx.pid;
load_module ${modules}/ndk_http_module.so;
load_module ${modules}/ngx_http_js_module.so;
events { worker_connections 512; }
http {
  access_log off;
  default_type application/json;
  client_body_temp_path ${folder}/body;
  proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi;
  subrequest_output_buffer_size 64k;
  js_path ${folder};
  js_import rows.js;
  upstream service { server ${upstream}; keepalive 64; }
  server {
    listen 127.0.0.1:${port};
    location = /w1 { return 200 '{"message":"hello","service":"orders","version":3,"ok":true,"tags":["a","b"]}'; }
    location = /items { internal; proxy_http_version 1.1; proxy_set_header Connection ""; proxy_pass http://service; }
    location = /w3 { js_content rows.answer; }
  }
}
`;

// njs reads no destructuring.
const script = `async function answer(r) {
  const reply = await r.subrequest("/items");
  const rows = JSON.parse(reply.responseText).data.items.map((item) => ({
    id: item.id, name: item.name, unit_price: item.price, qty: item.qty, category: item.category, note: item.note, source: "stub" }));
  r.headersOut["Content-Type"] = "application/json";
  r.return(200, JSON.stringify(rows));
}
export default { answer };
`;
