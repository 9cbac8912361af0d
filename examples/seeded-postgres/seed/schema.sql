CREATE TABLE customers (
  id   integer PRIMARY KEY,
  name text NOT NULL
);

CREATE TABLE orders (
  id          bigint PRIMARY KEY,
  customer_id integer NOT NULL REFERENCES customers,
  placed_at   timestamptz NOT NULL,
  total_cents integer NOT NULL CHECK (total_cents > 0)
);
