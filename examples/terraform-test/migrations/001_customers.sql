-- Customers were a column of their orders.
CREATE TABLE customers (id integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY, name text NOT NULL UNIQUE);

INSERT INTO customers (name) SELECT DISTINCT customer FROM orders;
