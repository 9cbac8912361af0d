-- :rows orders of a thousand customers, the same ones each time.
BEGIN;

INSERT INTO customers
SELECT n, 'Customer ' || n
FROM generate_series(1, 1000) AS n;

INSERT INTO orders
SELECT n, 1 + n % 1000, timestamptz '2026-01-01 00:00:00Z' + n * interval '1 minute', 100 + n % 9900
FROM generate_series(1, :rows) AS n;

COMMIT;

CREATE INDEX orders_by_customer ON orders (customer_id);
ANALYZE;
