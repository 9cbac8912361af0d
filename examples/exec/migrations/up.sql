CREATE TABLE notes (id integer PRIMARY KEY, body text NOT NULL);
INSERT INTO notes VALUES (1, 'migrate'), (2, 'read'), (3, 'dump');
