// What one client, one address and all together may use.
import assert from 'node:assert/strict';
import net from 'node:net';
import { before, describe, it } from 'node:test';
import { Author, randomHex } from '../helpers/events.mjs';
import { sharedServer, until } from '../helpers/harness.mjs';
import { firstMessage } from '../helpers/negentropy.mjs';

const kSlowDown = [false, 'rate-limited: slow down'];
const from = (address) => ({ headers: { 'X-Forwarded-For': address } });

describe('the rate of events', () => {
  const relay = sharedServer({ NGIT_MAX_EVENTS_PER_MINUTE: '60' });
  const author = new Author();

  it('is limited per connection, and refills steadily, however often a client asks', async () => {
    const client = await relay.connect();
    const texts = [];
    for (const event of author.notes(65)) texts.push((await client.publish(event))[1]);
    assert.deepEqual(texts.slice(0, 60), Array(60).fill(''));
    assert.ok(texts.slice(60).includes('rate-limited: slow down'));
    // One a second: a client that asks all the time must get through soon.
    const event = author.sign({ content: 'at last' });
    let asked = 0;
    await until(
      async () => ++asked && (await client.publish(event))[0],
      'the bucket to refill',
      3000,
    );
    assert.ok(asked > 2);
    const other = await relay.connect();
    assert.deepEqual(await other.publish(author.sign({ content: 'other' })), [true, '']);
    await client.alive();
  });
});

describe('the rate of queries', () => {
  const relay = sharedServer({ NGIT_MAX_QUERIES_PER_MINUTE: '30' });

  it('is shared by REQ, COUNT and NEG-OPEN, and refills', async () => {
    const client = await relay.connect();
    for (let i = 0; i < 10; ++i) {
      assert.equal((await client.subscribe('q', { kinds: [9] })).closed, undefined);
      assert.equal((await client.count({ kinds: [9] })).count, 0);
      client.send('NEG-OPEN', 'n', { kinds: [9] }, firstMessage());
      await client.next('NEG-MSG', 'n');
    }
    const kText = 'rate-limited: too many queries';
    assert.equal((await client.subscribe('q2', { kinds: [9] })).closed, kText);
    assert.equal(await client.count({ kinds: [9] }), kText);
    client.send('NEG-OPEN', 'n2', { kinds: [9] }, firstMessage());
    assert.equal((await client.next('NEG-ERR', 'n2'))[2], kText);
    assert.deepEqual(await client.publish(new Author().sign()), [true, '']);
    await until(
      async () => (await client.subscribe('q3', { kinds: [9] })).closed === undefined,
      'the bucket to refill',
      5000,
    );
  });

  it('limits the messages of reconciliations apart from that', async () => {
    const client = await relay.connect();
    client.send('NEG-OPEN', 'n', { kinds: [9] }, firstMessage());
    await client.next('NEG-MSG', 'n');
    const answers = [];
    for (let i = 0; i < 33; ++i) {
      client.send('NEG-MSG', 'n', firstMessage());
      answers.push(await client.next((m) => m[0].startsWith('NEG-')));
    }
    assert.deepEqual(
      answers.slice(0, 30).map(([verb]) => verb),
      Array(30).fill('NEG-MSG'),
    );
    assert.ok(
      answers
        .slice(30)
        .some(([verb, , text]) => verb === 'NEG-ERR' && text === 'rate-limited: too many queries'),
    );
  });
});

describe('subscriptions', () => {
  const relay = sharedServer();

  it('may not take more text than allowed', async () => {
    const client = await relay.connect();
    const authors = Array.from({ length: 20_000 }, () => randomHex(32)); // 1.3 MB
    for (const name of ['a', 'b', 'c'])
      assert.equal((await client.subscribe(name, { authors })).closed, undefined);
    const kText = 'rate-limited: active subscriptions exceed max size 5242880 bytes';
    assert.equal((await client.subscribe('d', { authors })).closed, kText);
    client.send('CLOSE', 'a');
    assert.equal((await client.subscribe('d', { authors })).closed, undefined);
  });

  it('may not have more than twenty filters', async () => {
    const client = await relay.connect();
    const filters = Array.from({ length: 21 }, (_, i) => ({ kinds: [i] }));
    assert.equal(
      (await client.subscribe('s', ...filters)).closed,
      'rate-limited: REQ exceeds max filter count 20',
    );
    assert.equal((await client.subscribe('s', ...filters.slice(1))).closed, undefined);
  });

  it('may be five hundred, and not more', async () => {
    const client = await relay.connect();
    for (let i = 0; i < 500; ++i) client.send('REQ', `s${i}`, { kinds: [9], '#t': [`${i}`] });
    for (let i = 0; i < 500; ++i) await client.next('EOSE', `s${i}`);
    assert.equal(
      (await client.subscribe('s500', { kinds: [9] })).closed,
      'rate-limited: too many REQs',
    );
    const event = new Author().sign({ kind: 9, tags: [['t', '250']] });
    await client.publish(event);
    assert.deepEqual((await client.next('EVENT', 's250'))[2], event);
  });

  it('bring nothing more once they were told CLOSED', async () => {
    const client = await relay.connect();
    const author = new Author();
    const refused = [[{ kinds: 'x' }], Array.from({ length: 21 }, () => ({})), [{ search: 'x' }]];
    await client.subscribe('witness', { authors: [author.pubkey] });
    for (const filters of refused) {
      await client.subscribe('s', { authors: [author.pubkey] });
      assert.notEqual((await client.subscribe('s', ...filters)).closed, undefined);
      const event = author.sign({ content: randomHex(4) });
      await client.publish(event);
      assert.deepEqual((await client.next('EVENT', 'witness'))[2], event);
      await client.alive();
      assert.deepEqual(client.taken('EVENT', 's'), []);
    }
  });
});

describe('connections', () => {
  const relay = sharedServer({ NGIT_MAX_CONNECTIONS: '5' });

  it('are refused with 503 beyond the limit, and taken again when one has gone', async () => {
    const clients = [];
    const attempt = () =>
      relay.connect().then(
        (client) => clients.push(client),
        (error) => error,
      );
    while (clients.length < 5) assert.equal(typeof (await attempt()), 'number');
    const refused = await attempt();
    assert.match(String(refused), /503/);
    clients[0].close();
    await until(async () => typeof (await attempt()) === 'number', 'a place to be free');
    await clients.at(-1).alive();
  });
});

describe('connections of one address', () => {
  const relay = sharedServer({
    NGIT_MAX_CONNECTIONS_PER_IP: '2',
    NGIT_TRUSTED_PROXY_CIDRS: '127.0.0.1/32',
  });

  it('are counted by the address a trusted proxy names', async () => {
    const [a, b] = [
      await relay.connect(from('203.0.113.1')),
      await relay.connect(from('203.0.113.1')),
    ];
    await assert.rejects(relay.connect(from('203.0.113.1')), /503|429/);
    await (await relay.connect(from('203.0.113.2'))).alive();
    await (await relay.connect(from('2001:db8::1'))).alive();
    a.close();
    await until(
      () =>
        relay.connect(from('203.0.113.1')).then(
          () => true,
          () => false,
        ),
      'a place to be free',
    );
    await b.alive();
  });

  it('are counted by the last address that the proxy did not get from a stranger', async () => {
    const spoofed = (fake) => from(`${fake}, 203.0.113.9`);
    await relay.connect(spoofed('198.51.100.1'));
    await relay.connect(spoofed('198.51.100.2'));
    await assert.rejects(relay.connect(spoofed('198.51.100.3')), /503|429/);
  });

  it('are counted by the proxy itself when it names nonsense', async () => {
    await relay.connect(from('nonsense'));
    await relay.connect(from('unknown'));
    await assert.rejects(relay.connect(from('_hidden')), /503|429/);
  });
});

describe('what one address keeps', () => {
  const relay = sharedServer({
    NGIT_MAX_HELD_BYTES_PER_IP: String(2 * 1024 * 1024),
    NGIT_TRUSTED_PROXY_CIDRS: '127.0.0.1/32',
  });
  // Forty kilobytes of text that occupy more than a megabyte.
  const many = { '#t': Array.from({ length: 6_000 }, (_, i) => `${i}`) };

  it('is counted over its connections, by what it occupies', async () => {
    const [a, b, other] = [
      await relay.connect(from('2001:db8::1')),
      await relay.connect(from('2001:db8::2')),
      await relay.connect(from('2001:db8:0:1::1')),
    ];
    assert.equal((await a.subscribe('s', many)).closed, undefined);
    assert.match((await b.subscribe('s', many)).closed, /^rate-limited: /);
    assert.equal((await b.subscribe('small', { kinds: [9] })).closed, undefined);
    assert.equal((await other.subscribe('s', many)).closed, undefined);
    a.send('CLOSE', 's');
    await a.alive();
    assert.equal((await b.subscribe('s', many)).closed, undefined);
  });
});

describe('connections of one address that ask nothing', () => {
  const relay = sharedServer({ NGIT_MAX_CONNECTIONS_PER_IP: '2' });

  it('are refused when there are too many', async () => {
    const sockets = [];
    let refused = false;
    const open = () => {
      const socket = net.connect(relay.server.port, '127.0.0.1');
      socket.on('data', (bytes) => (refused ||= String(bytes).startsWith('HTTP/1.1 503 ')));
      socket.on('error', () => {});
      sockets.push(socket);
    };
    await until(
      () => {
        for (let i = 0; i < 20; ++i) open();
        return refused;
      },
      'a refusal',
      30_000,
    );
    sockets.forEach((socket) => socket.destroy());
    await until(
      () =>
        relay.connect().then(
          (client) => client.alive().then(() => true),
          () => false,
        ),
      'a place to be free',
    );
  });
});

describe('connections of one address without a trusted proxy', () => {
  const relay = sharedServer({ NGIT_MAX_CONNECTIONS_PER_IP: '2' });

  it('are counted by who really connects', async () => {
    await relay.connect(from('203.0.113.1'));
    await relay.connect(from('203.0.113.2'));
    await assert.rejects(relay.connect(from('203.0.113.3')), /503|429/);
  });
});

describe('the events of one address', () => {
  const relay = sharedServer({
    NGIT_MAX_EVENTS_PER_MINUTE_PER_IP: '6',
    NGIT_TRUSTED_PROXY_CIDRS: '127.0.0.1/32',
  });
  const author = new Author();
  let one, two, other;
  before(async () => {
    one = await relay.connect(from('203.0.113.1'));
    two = await relay.connect(from('203.0.113.1'));
    other = await relay.connect(from('203.0.113.2'));
  });

  it('are limited over all its connections, also after hanging up', async () => {
    const events = author.notes(9);
    for (const event of events.slice(0, 3)) assert.deepEqual(await one.publish(event), [true, '']);
    for (const event of events.slice(3, 6)) assert.deepEqual(await two.publish(event), [true, '']);
    assert.deepEqual(await one.publish(events[6]), kSlowDown);
    assert.deepEqual(await two.publish(events[7]), kSlowDown);
    one.close();
    const again = await relay.connect(from('203.0.113.1'));
    assert.deepEqual(await again.publish(events[8]), kSlowDown);
    assert.deepEqual(await other.publish(events[8]), [true, '']);
  });
});
