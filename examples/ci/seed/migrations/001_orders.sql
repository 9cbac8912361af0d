CREATE TABLE orders (id bigint PRIMARY KEY, customer text NOT NULL);

INSERT INTO orders
SELECT id, 'customer ' || id % 100
FROM generate_series(1, 1000) AS id;
