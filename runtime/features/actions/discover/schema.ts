import type { JsonSchema } from "../../feature.ts";

const text = (description: string): JsonSchema => ({ type: "string", description });
const pattern = (description: string): JsonSchema => ({ type: "string", context: "regex", description });

/** The compiler gives these names to the types of a configuration, as it does for those of its own records. */
const block = (
  title: string,
  description: string,
  properties: Readonly<Record<string, JsonSchema>>,
  required: readonly string[] = [],
): JsonSchema => ({
  title,
  description,
  type: "object",
  additionalProperties: false,
  properties,
  ...(required.length === 0 ? {} : { required }),
});

const filter = (description: string): JsonSchema =>
  block("DiscoverFilter", description, {
    name: pattern("Pattern of the name."),
    image: pattern("Pattern of the image, as a whole reference."),
    namespace: pattern("Pattern of the namespace; Kubernetes only."),
  });

/** Fields of a `discover` block (spec/surfaces 13). */
export const schema: JsonSchema = {
  type: "object",
  whole: true,
  additionalProperties: false,
  properties: {
    dns: block(
      "DiscoverDns",
      "All addresses of a DNS name.",
      {
        name: text("Name, with or without `:port`. One that starts with `_` is asked for its SRV records."),
        exclude_self: text("Address of this node, or `address:port`, to leave out."),
      },
      ["name"],
    ),
    kubernetes: block("DiscoverKubernetes", "Pods of a cluster, by the service account of this pod.", {
      namespace: text("Namespace, by default that of this pod."),
      label_selector: text("Selector of labels, such as `app=api`."),
      field_selector: text("Selector of fields, such as `spec.nodeName=a`."),
      port_name: text("Name of the container port."),
      ready_only: { type: "boolean", default: true, description: "Only pods that are ready." },
    }),
    docker: block("DiscoverDocker", "Running containers of an engine.", {
      labels: { type: "object", additionalProperties: { type: "string" }, description: "Labels that must all match." },
      network: text("Network whose address is taken, by default the first."),
      socket: { type: "string", default: "/var/run/docker.sock", description: "Path or URL of the engine's socket." },
    }),
    static: {
      anyOf: [
        { type: "array", items: { description: "A member." }, description: "Members, `host:port` each; empty ones are left out." },
        { type: "string", description: "Members, separated by commas." },
      ],
      description: "Members: a list of host:port, or one text with commas.",
    },
    include: filter("Keep only members that match."),
    exclude: filter("Drop members that match, even those that include keeps."),
    port: { type: ["integer", "string"], description: "Port of members whose port the backend does not know." },
    scheme: { type: "string", default: "http", description: "Scheme of the url." },
    cache_ttl_secs: { type: "number", default: 10, minimum: 0, description: "Seconds for which a result is used again; 0: never." },
    fail_when_empty: { type: "boolean", default: false, description: "Fail when there is no member." },
  },
};
