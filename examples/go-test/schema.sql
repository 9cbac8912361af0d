CREATE TABLE orders (
  id        bigint PRIMARY KEY,
  customer  text NOT NULL,
  cancelled boolean NOT NULL DEFAULT false
);

-- Ten orders of each of a hundred customers.
INSERT INTO orders (id, customer)
SELECT id, 'customer ' || id % 100
FROM generate_series(1, 1000) AS id;
