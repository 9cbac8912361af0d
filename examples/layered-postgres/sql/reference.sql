INSERT INTO currencies VALUES ('EUR', 2), ('JPY', 0), ('USD', 2);
