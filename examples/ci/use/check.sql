-- Stands for your tests: fails unless the seeded orders are there, with totals.
DO $$
BEGIN
  ASSERT (SELECT count(*) FROM orders) = 1000, 'the orders are not as seeded';
  ASSERT (SELECT min(total_cents) FROM orders) >= 100, 'an order has no total';
END
$$;
