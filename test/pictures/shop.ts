/** The service of the pictures: a shop with a route, a schedule, a channel, a tool, and a run that waits for a person. */
export const shop = (stock: string): string => `# A shop, as the pictures of the documentation show it.
name: Shop
global:
  databases:
    main: { driver: sqlite, conn_string: "sqlite::memory:" }
interfaces:
  orders/create:
    summary: Takes an order and reserves what it asks for.
    method: POST
    route: /orders/:shop
    capture: all
    accepts:
      schema:
        type: object
        required: [sku, quantity]
        properties: { sku: { type: string }, quantity: { type: integer } }
      example: { sku: tea, quantity: 2 }
    actions:
      - name: Order
        input: a|body|
        assert:
          http_code_on_error: 422
          tests:
            - { value: quantity, is_greater_than: 0 }
      - name: Stock
        run_when_succeeded: [Order]
        http: { url: "${stock}/stock/a|Order::sku|" }
        assert:
          http_code_on_error: 409
          tests:
            - { value: body.left, is_greater_than: 3 }
      - name: Price
        run_when_succeeded: [Order]
        json_output: { price: 4 }
      - name: Total
        run_when_succeeded: [Stock, Price]
        json_output: { sku: a|Order::sku|, quantity: a|Order::quantity|, price: a|Price::price| }
      - name: Sorry
        run_when_failed: [Stock]
        json_output: { message: "There is not enough of it." }
  orders/list:
    summary: Lists the orders of a shop.
    method: GET
    route: /orders/:shop
    capture: errors
    actions:
      - { name: Rows, database: main, query: SELECT 1 AS id }
  stock/refresh:
    summary: Brings the stock up to date at night.
    output: none
    schedule: { cron: "0 3 * * *", timezone: Europe/Berlin, enabled: true }
    actions:
      - { name: Stock, http: { url: "${stock}/stock/all" } }
  rooms/say:
    ws: say
    actions:
      - { name: Say, ws_publish: { channels: ["room:shop"], data: a|body| } }
`;

/** Its runs wait until a person agrees. */
export const refunds = `name: Refunds
interfaces:
  refunds/ask:
    summary: Waits until a person agrees to pay back.
    durable: true
    method: POST
    route: /refunds
    actions:
      - { name: Approval, wait_for_callback: { token: a|body::token|, timeout: 2d } }
`;
