ALTER TABLE orders ADD COLUMN total_cents integer;

UPDATE orders SET total_cents = 100 + id % 9900;

ALTER TABLE orders ALTER COLUMN total_cents SET NOT NULL;
