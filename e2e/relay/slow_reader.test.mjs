// A client that does not read: it costs little, ends in time, and bothers nobody else.
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { Author } from '../helpers/events.mjs';
import { sharedServer, until } from '../helpers/harness.mjs';

const kMiB = 1024 * 1024;
const kOutbound = 4 * kMiB;

describe('a client that stops reading', () => {
  const relay = sharedServer({ NGIT_MAX_OUTBOUND_BYTES: String(kOutbound) });
  const author = new Author();
  const large = (i, kind = 1) =>
    author.sign({ kind, created_at: 1_700_000_000 + i, content: `${i} `.padEnd(100_000, 'x') });
  let publisher, witness;
  before(async () => {
    publisher = await relay.connect();
    witness = await relay.connect();
    await publisher.publishAll(Array.from({ length: 120 }, (_, i) => large(i)));
  });
  const memory = () => relay.server.metric('process_resident_memory_bytes');

  async function ended(client) {
    client.socket.resume();
    const closed = client.closed().then(() => 'closed');
    const told = client.next('CLOSED', undefined, 20_000).then(
      () => 'told',
      () => 'closed',
    );
    return Promise.race([closed, told]);
  }

  it('gets what is stored piece by piece, without memory for the rest', async () => {
    const start = await memory();
    const slow = await Promise.all(Array.from({ length: 8 }, () => relay.connect()));
    for (const client of slow) {
      client.socket.pause();
      for (let i = 0; i < 5; ++i)
        client.send('REQ', `all ${i}`, { kinds: [1], authors: [author.pubkey] });
    }
    // 8 clients × 5 queries × 12 MB are asked for; others are served meanwhile.
    for (let i = 0; i < 20; ++i)
      assert.equal((await witness.query({ kinds: [1], limit: 5 })).length, 5);
    const grown = (await memory()) - start;
    assert.ok(grown < 8 * (kOutbound + 4 * kMiB), `${grown / kMiB} MiB`);
    // Who reads again gets everything.
    slow[0].socket.resume();
    for (let i = 0; i < 5; ++i) assert.equal((await slow[0].stored(`all ${i}`)).events.length, 120);
    slow.forEach((client) => client.close());
  });

  it('is ended when new events pile up, while others get them all', async () => {
    const [slow, listener] = [await relay.connect(), await relay.connect()];
    for (let i = 0; i < 10; ++i) await slow.subscribe(`live ${i}`, { kinds: [20_001], limit: 0 });
    await listener.subscribe('live', { kinds: [20_001], limit: 0 });
    const start = await memory();
    slow.socket.pause();
    // 10 subscriptions × 60 events × 100 KB: far beyond what may wait for one client.
    for (let i = 0; i < 60; ++i) {
      const event = large(i, 20_001);
      await publisher.publishAll([event]);
      assert.equal((await listener.next('EVENT', 'live'))[2].id, event.id);
    }
    const grown = (await memory()) - start;
    assert.ok(grown < kOutbound + 40 * kMiB, `${grown / kMiB} MiB`);
    assert.ok(['closed', 'told'].includes(await ended(slow)));
    await witness.alive();
  });

  it('is not read from either, so that its answers cannot pile up', async () => {
    const slow = await relay.connect();
    const start = await memory();
    slow.socket.pause();
    for (let i = 0; i < 30_000; ++i) slow.send('COUNT', 'x'.repeat(200), { kinds: [9] });
    await until(
      async () => (await witness.query({ kinds: [1], limit: 1 })).length === 1,
      'an answer for another client',
    );
    const grown = (await memory()) - start;
    assert.ok(grown < kOutbound + 40 * kMiB, `${grown / kMiB} MiB`);
    slow.close();
  });
});
