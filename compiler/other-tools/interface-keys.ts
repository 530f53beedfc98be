import { type Words, wordsFor } from "./words.ts";

/** Words for keys of an interface, by the record in which they are written. */
export const interfaceKeys: Readonly<Record<string, Words>> = {
  Interface: wordsFor({
    "write 'route', 'schedule', 'ws', 'mqtt' or 'mcp' itself": "trigger events",
    "write 'response: { http_code_on_error: … }', or 'response_on_success' of an action": "http_code status status_code",
    "write an action with 'assert', whose test is 'is_authorization', 'is_valid_jwt' or 'is_valid_hmac'":
      "authorizer auth authentication authorization",
    "write 'route'": "path paths uri",
    "write 'route' and 'method'": "get post put patch delete",
    "write an action that others name in 'run_when_succeeded'": "middleware",
    "write 'network', or an action that others name in 'run_when_succeeded'": "plugins",
    "write 'accepts: { schema: … }'": "request_body schema",
    "write 'method'": "verb",
    "write 'method', one for each interface, or ANY": "methods",
    "write 'params'": "parameters",
    "write 'actions'": "steps handler tasks pipeline do",
    "write 'schedule: { cron: …, enabled: true }'": "cron every interval",
    "write it in 'schedule', beside 'cron'": "timezone",
    "write 'ws'": "websocket websockets socket",
    "write 'mqtt'": "topic",
    "write 'mcp: { enabled: true, tool_name: … }'": "tool",
    "origins are a setting of the process: PIPEWRIGHT_CORS_ORIGINS": "cors",
    "tests of parameters stand in 'params', tests of the body in the 'assert' of an action": "validate",
    "the body that callers send is described by 'accepts', that of the answer by 'response.custom_body'": "body",
    "write it in 'network'": "rate_limit ip",
    "write 'response_on_success' of an action": "on_success",
    "write 'on_error' at the top of the configuration, or 'response_on_error' of an action": "on_failure",
    "write it in an action, or 'schedule.max_attempts'": "retry",
    "write 'retry' of an action, or 'schedule.max_attempts'": "retries",
    "write it in an action": "timeout",
    "write the header cache-control in 'response', or keep values by 'state' in an action": "cache",
    "only a 'schedule' and 'mcp' are switched on and off; take the interface out, or give it no trigger": "enabled disabled",
  }),
  McpTool: wordsFor({
    "write 'description'": "tool_description",
    "write 'accepts: { schema: … }' beside 'mcp'": "input_schema parameters schema",
  }),
  Schedule: wordsFor({
    "write 'cron'": "expression every interval",
    "write 'timezone'": "tz",
    "write 'max_attempts'": "retries",
  }),
  Param: wordsFor({
    "write 'default_value'": "default",
    "write a matcher in 'validate'": "type format schema",
    "describe it in 'accepts.schema'": "description",
    "the route says which parameters are in the path; the others are in the query": "in",
    "write 'validate: { contains: { allowed: […] } }'": "enum",
    "write 'validate: { is_greater_than_or_equal_to: … }'": "minimum min",
    "write 'validate: { is_less_than_or_equal_to: … }'": "maximum max",
    "write 'validate: { regex: … }'": "pattern",
  }),
  Contract: wordsFor({
    "write its JSON Schema in 'schema'": "body",
    "write it in 'schema'": "type properties items required",
  }),
  NetworkPolicy: wordsFor({
    "write 'ip: { allow: … }'": "allow ip_allow allow_list allowlist whitelist cidr",
    "write 'ip: { deny: … }'": "deny ip_deny deny_list denylist blacklist",
    "write 'geo: { allow: … }'": "countries",
    "callers are tested by an action with 'assert', such as 'is_authorization' or 'is_valid_jwt'": "auth jwt",
    "origins are a setting of the process: PIPEWRIGHT_CORS_ORIGINS": "cors",
  }),
  RateLimitRule: wordsFor({
    "write 'requests'": "limit max",
    "write 'requests' and 'window'": "rate",
    "write 'window'": "interval period",
  }),
  InterfaceResponse: wordsFor({
    "write 'http_code_on_error' here, or 'response_on_success.http_code' of an action": "status http_code code",
    "the code of a success is 'http_code_on_success' of an assert or 'response_on_success.http_code' of an action; that of a failure is 'http_code_on_error'":
      "status_code",
    "write it in an 'assert', or 'response_on_success: { http_code: … }' of an action": "http_code_on_success",
    "write 'custom_body'": "body json",
    "write it in 'headers'": "content_type",
    "write 'headers'": "custom_headers",
    "write 'headers: { location: … }', and 'response_on_success: { http_code: 302 }' in an action": "redirect",
  }),
  InterfaceLogLine: wordsFor({
    "write 'msg'": "message text line",
  }),
};
