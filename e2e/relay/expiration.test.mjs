// Events with an end (NIP-40).
import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { Author, now } from '../helpers/events.mjs';
import { describeOnEachBackend, until } from '../helpers/harness.mjs';

const expiring = (at) => [['expiration', String(at)]];

describeOnEachBackend('expiration', (relay) => {
  let client;
  const author = new Author();
  before(async () => (client = await relay.connect()));

  it('refuses what has expired', async () => {
    for (const at of [1, now() - 1, now()]) {
      const event = author.sign({ created_at: 1, tags: expiring(at) });
      assert.deepEqual(await client.publish(event), [false, 'blocked: event is expired']);
    }
  });

  it('keeps what expires later', async () => {
    const event = author.sign({ tags: expiring(now() + 3600) });
    assert.deepEqual(await client.publish(event), [true, '']);
    assert.deepEqual(await client.query({ ids: [event.id] }), [event]);
  });

  it('stops serving and counting an event when its time has come, and does not take it back', async () => {
    const someone = new Author();
    const at = now() + 3;
    const event = someone.sign({ tags: expiring(at) });
    const list = someone.sign({ kind: 30_001, tags: [['d', 'x'], ...expiring(at)] });
    await client.publishAll([event, list]);
    assert.equal((await client.query({ authors: [someone.pubkey] })).length, 2);
    await until(
      async () => (await client.query({ authors: [someone.pubkey] })).length === 0,
      'the events to expire',
    );
    assert.ok(now() >= at);
    assert.deepEqual(await client.query({ ids: [event.id, list.id] }), []);
    assert.deepEqual(await client.count({ authors: [someone.pubkey] }), { count: 0 });
    assert.deepEqual(await client.publish(event), [false, 'blocked: event is expired']);
  });

  it('passes ephemeral events on whatever they say', async () => {
    const listener = await relay.connect();
    const event = author.sign({ kind: 20_100, tags: expiring(now() + 60) });
    await listener.subscribe('live', { kinds: [20_100] });
    assert.deepEqual(await client.publish(event), [true, '']);
    assert.deepEqual((await listener.next('EVENT', 'live'))[2], event);
  });
});
