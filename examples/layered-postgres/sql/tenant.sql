-- One tenant, with :orders orders in every currency that there is.
INSERT INTO tenants VALUES (:'tenant');

INSERT INTO orders
SELECT row_number() OVER (), :'tenant', code, 100 + n % 9900
FROM generate_series(1, :orders) AS n, currencies;
