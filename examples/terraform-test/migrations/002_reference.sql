ALTER TABLE orders ADD COLUMN customer_id integer REFERENCES customers;

UPDATE orders SET customer_id = customers.id FROM customers WHERE customers.name = customer;

ALTER TABLE orders DROP COLUMN customer;
