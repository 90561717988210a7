// Kinds 20000 to 29999: passed on, never kept (NIP-01).
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Author, now } from '../helpers/events.mjs';
import { describeOnEachBackend } from '../helpers/harness.mjs';

describeOnEachBackend('ephemeral events', (relay) => {
  it('reach those who listen and are not stored', async () => {
    const [listener, publisher] = [await relay.connect(), await relay.connect()];
    const author = new Author();
    for (const kind of [20000, 25000, 29999]) {
      const event = author.sign({ kind });
      await listener.subscribe('live', { kinds: [kind], authors: [author.pubkey] });
      assert.deepEqual(await publisher.publish(event), [true, '']);
      assert.deepEqual((await listener.next('EVENT', 'live'))[2], event);
      assert.deepEqual(await publisher.query({ ids: [event.id] }, { kinds: [kind] }), []);
      assert.deepEqual(await publisher.count({ authors: [author.pubkey] }), { count: 0 });
    }
  });

  it('are passed on each time they are sent', async () => {
    const [listener, publisher] = [await relay.connect(), await relay.connect()];
    const author = new Author();
    const event = author.sign({ kind: 20001 });
    await listener.subscribe('live', { authors: [author.pubkey] });
    await publisher.publish(event);
    await listener.next('EVENT', 'live');
    const [accepted] = await publisher.publish(event);
    assert.equal(accepted, true);
  });

  it('are verified like any other', async () => {
    const [listener, publisher] = [await relay.connect(), await relay.connect()];
    const author = new Author();
    await listener.subscribe('live', { authors: [author.pubkey] });
    const [forged, real] = [
      author.sign({ kind: 20001, content: 'forged' }),
      author.sign({ kind: 20001, content: 'real' }),
    ];
    assert.match((await publisher.publish({ ...forged, sig: real.sig }))[1], /^invalid: /);
    await publisher.publish(real);
    assert.deepEqual((await listener.next('EVENT', 'live'))[2], real);
  });

  it('come in the order they were sent, among stored ones', async () => {
    const [listener, publisher] = [await relay.connect(), await relay.connect()];
    const author = new Author();
    await listener.subscribe('live', { authors: [author.pubkey] });
    const events = Array.from({ length: 20 }, (_, i) =>
      author.sign({ kind: i % 2 ? 20001 : 1, created_at: now(), content: `${i}` }),
    );
    await publisher.publishAll(events);
    const got = [];
    while (got.length < events.length) got.push((await listener.next('EVENT', 'live'))[2].id);
    assert.deepEqual(new Set(got), new Set(events.map((event) => event.id)));
  });
});
