/** Keys at the top of files that may also have a `name`: of Compose, Kubernetes, OpenAPI, AsyncAPI, Ansible and of workflows of GitHub. */
export const fileKeys: ReadonlySet<string> = new Set(
  "services apiVersion kind openapi swagger asyncapi jobs runs hosts stages steps pipelines dependencies packages".split(" "),
);
