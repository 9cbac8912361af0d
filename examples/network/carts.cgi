#!/bin/sh
# Asks the database, by its alias, how many carts there are.
printf 'Content-Type: text/plain\r\n\r\n'
printf 'DBSIZE\r\nQUIT\r\n' | nc -w 5 db 6379
