// Package orders stands for what your tests are about: code that needs a database with data in it.
package orders

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
)

// ErrNotOpen is returned for an order that does not exist or has been cancelled.
var ErrNotOpen = errors.New("the order is not open")

// Cancel cancels an open order.
func Cancel(ctx context.Context, db *pgx.Conn, id int64) error {
	done, err := db.Exec(ctx, "UPDATE orders SET cancelled = true WHERE id = $1 AND NOT cancelled", id)
	if err == nil && done.RowsAffected() == 0 {
		err = ErrNotOpen
	}
	return err
}

// Forget deletes all orders of a customer, and returns how many there were.
func Forget(ctx context.Context, db *pgx.Conn, customer string) (int64, error) {
	done, err := db.Exec(ctx, "DELETE FROM orders WHERE customer = $1", customer)
	return done.RowsAffected(), err
}
