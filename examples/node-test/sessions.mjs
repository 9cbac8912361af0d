// Stands for what your tests are about: code that needs a Redis with data in it.

export async function addToCart(redis, session, items) {
  if (!(await redis.command('EXISTS', session))) throw new Error(`there is no ${session}`);
  return redis.command('HINCRBY', session, 'cart', items);
}

export async function logOutEverybody(redis) {
  const sessions = await redis.command('KEYS', 'session:*');
  return sessions.length && redis.command('DEL', ...sessions);
}
