import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { addToCart, logOutEverybody } from './sessions.mjs';
import { connect, ifNotSeeded } from './stack.mjs';

// The tests of this group run side by side. Each has a copy, so none sees what another does.
describe('sessions', { concurrency: true }, () => {
  test('a cart grows', async (t) => {
    const redis = await connect(t, 'cart');
    assert.equal(await addToCart(redis, 'session:3', 5), 12, ifNotSeeded);
    assert.equal(await redis.command('HGET', 'session:1', 'cart'), '2');
    await assert.rejects(addToCart(redis, 'session:4', 1), /there is no session:4/);
  });

  test('everybody is logged out', async (t) => {
    const redis = await connect(t, 'logout');
    assert.equal(await logOutEverybody(redis), 3, ifNotSeeded);
    assert.equal(await redis.command('DBSIZE'), 0);
  });
});
