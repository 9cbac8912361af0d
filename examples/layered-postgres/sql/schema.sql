CREATE TABLE currencies (
  code   char(3) PRIMARY KEY,
  digits integer NOT NULL
);

CREATE TABLE tenants (
  name text PRIMARY KEY
);

CREATE TABLE orders (
  id          bigint PRIMARY KEY,
  tenant      text NOT NULL REFERENCES tenants,
  currency    char(3) NOT NULL REFERENCES currencies,
  total_cents integer NOT NULL CHECK (total_cents > 0)
);
