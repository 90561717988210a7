// REQ, EVENT, EOSE and CLOSE (NIP-01, NIP-67).
import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { Author, ids, newestFirst, now, randomHex } from '../helpers/events.mjs';
import { describeOnEachBackend, until } from '../helpers/harness.mjs';

const kT = 1_700_000_000;

const racer = new Author();
const racing = racer.notes(300);

describeOnEachBackend('subscribing', (relay) => {
  let client, publisher;
  before(async () => ([client, publisher] = await Promise.all([relay.connect(), relay.connect()])));

  it('serves newest first, and in the same second the lowest id first', async () => {
    const author = new Author();
    const events = [
      ...author.notes(5, { from: kT }),
      ...Array.from({ length: 20 }, (_, i) =>
        author.sign({ created_at: kT + 2, content: `tie ${i}` }),
      ),
    ];
    await publisher.publishAll(events);
    assert.deepEqual(
      ids(await client.query({ authors: [author.pubkey] })),
      ids(newestFirst(events)),
    );
  });

  it('cuts a limit at the newest events, also inside a second', async () => {
    const author = new Author();
    const events = Array.from({ length: 9 }, (_, i) =>
      author.sign({ created_at: kT + Math.floor(i / 3), content: `${i}` }),
    );
    await publisher.publishAll(events);
    const expected = ids(newestFirst(events));
    for (const limit of [1, 2, 3, 4, 8]) {
      const { events: found, hint } = await client.subscribe('limit', {
        authors: [author.pubkey],
        limit,
      });
      assert.deepEqual(ids(found), expected.slice(0, limit));
      assert.deepEqual(hint, ['more']);
    }
  });

  it('says finish when everything was sent', async () => {
    const author = new Author();
    await publisher.publishAll(author.notes(3, { from: kT }));
    for (const filter of [{}, { limit: 4 }]) {
      const { events, hint } = await client.subscribe('all', {
        authors: [author.pubkey],
        ...filter,
      });
      assert.equal(events.length, 3);
      assert.deepEqual(hint, ['finish']);
    }
    assert.deepEqual(await client.subscribe('none', { ids: [randomHex(32)] }), {
      events: [],
      hint: ['finish'],
    });
  });

  it('never says more when a limit is met exactly, nor finish when it is not', async () => {
    const author = new Author();
    const [first, ...rest] = author.notes(4, { from: kT });
    await publisher.publishAll([first, ...rest]);
    const exact = await client.subscribe('exact', { authors: [author.pubkey], limit: 4 });
    assert.equal(exact.events.length, 4);
    assert.notDeepEqual(exact.hint, ['more']);
    const short = await client.subscribe('short', { authors: [author.pubkey], limit: 3 });
    assert.notDeepEqual(short.hint, ['finish']);
  });

  it('gives each filter its own limit, and no event twice', async () => {
    const [a, b] = [new Author(), new Author()];
    const [ofA, ofB] = [a.notes(6, { from: kT }), b.notes(6, { from: kT + 100 })];
    await publisher.publishAll([...ofA, ...ofB]);
    const { events } = await client.subscribe(
      'several',
      { authors: [a.pubkey], limit: 2 },
      { authors: [b.pubkey], limit: 3 },
      { ids: [ofA[5].id, ofA[0].id] },
    );
    assert.deepEqual(ids(events), ids(newestFirst([...ofA.slice(4), ...ofB.slice(3), ofA[0]])));
  });

  it('serves an event that matches several filters once', async () => {
    const author = new Author();
    const event = author.sign({ created_at: kT, tags: [['t', 'twice']] });
    await publisher.publishAll([event]);
    const filters = [
      { authors: [author.pubkey] },
      { ids: [event.id] },
      { '#t': ['twice'], kinds: [1] },
    ];
    assert.deepEqual(await client.query(...filters), [event]);
  });

  it('answers limit 0 with EOSE at once and then with new events', async () => {
    const author = new Author();
    await publisher.publishAll(author.notes(3));
    const { events, hint } = await client.subscribe('tail', { authors: [author.pubkey], limit: 0 });
    assert.deepEqual(events, []);
    assert.notDeepEqual(hint, ['finish']);
    const event = author.sign({ content: 'live' });
    await publisher.publish(event);
    assert.deepEqual((await client.next('EVENT', 'tail'))[2], event);
  });

  it('counts the ends of since and until in', async () => {
    const author = new Author();
    const events = author.notes(5, { from: kT });
    await publisher.publishAll(events);
    const found = async (filter) =>
      ids(await client.query({ authors: [author.pubkey], ...filter }));
    assert.deepEqual(
      await found({ since: kT + 1, until: kT + 3 }),
      ids([events[3], events[2], events[1]]),
    );
    assert.deepEqual(await found({ since: kT + 4 }), [events[4].id]);
    assert.deepEqual(await found({ until: kT }), [events[0].id]);
    assert.deepEqual(await found({ since: kT + 2, until: kT + 2 }), [events[2].id]);
    assert.deepEqual(await found({ since: kT + 3, until: kT + 2 }), []);
  });

  it('combines the conditions of a filter with and, the values of a condition with or', async () => {
    const [a, b] = [new Author(), new Author()];
    const events = [a, b].flatMap((who) =>
      [1, 7].map((kind) => who.sign({ kind, created_at: kT + kind })),
    );
    await publisher.publishAll(events);
    const found = async (filter) => new Set(ids(await client.query(filter)));
    const authors = [a.pubkey, b.pubkey];
    assert.deepEqual(await found({ authors, kinds: [1, 7] }), new Set(ids(events)));
    assert.deepEqual(await found({ authors, kinds: [7] }), new Set([events[1].id, events[3].id]));
    assert.deepEqual(await found({ authors: [a.pubkey], kinds: [7, 8] }), new Set([events[1].id]));
    assert.deepEqual(await found({ ids: [events[0].id], kinds: [7] }), new Set());
  });

  it('matches nothing where a list is empty', async () => {
    const author = new Author();
    await publisher.publishAll([author.sign()]);
    for (const filter of [{ ids: [] }, { authors: [] }, { kinds: [] }, { '#t': [] }]) {
      const { events, hint } = await client.subscribe('empty', {
        authors: [author.pubkey],
        ...filter,
      });
      assert.deepEqual([events, hint], [[], ['finish']]);
    }
  });

  it('replaces a subscription when its id is used again', async () => {
    const [a, b] = [new Author(), new Author()];
    await client.subscribe('same', { authors: [a.pubkey] });
    await client.subscribe('same', { authors: [b.pubkey] });
    const [old, wanted] = [a.sign(), b.sign()];
    await publisher.publish(old);
    await publisher.publish(wanted);
    assert.deepEqual((await client.next('EVENT', 'same'))[2], wanted);
  });

  it('stops at CLOSE, and ignores the CLOSE of a subscription it does not know', async () => {
    const author = new Author();
    await client.subscribe('ended', { authors: [author.pubkey] });
    await client.subscribe('kept', { authors: [author.pubkey] });
    client.send('CLOSE', 'ended');
    client.send('CLOSE', 'never opened');
    await client.alive();
    const event = author.sign();
    await publisher.publish(event);
    assert.deepEqual((await client.next('EVENT', 'kept'))[2], event);
    assert.deepEqual(client.taken('EVENT', 'ended'), []);
  });

  it('delivers new events to every subscription they match, once each', async () => {
    const author = new Author();
    await client.subscribe(
      'by author',
      { authors: [author.pubkey] },
      { kinds: [1], authors: [author.pubkey] },
    );
    await client.subscribe('by kind', { kinds: [4242] });
    await client.subscribe('by tag', { '#t': [author.pubkey] });
    await client.subscribe('other', { authors: [randomHex(32)] });
    await publisher.subscribe('own', { authors: [author.pubkey] });
    const event = author.sign({ kind: 4242, tags: [['t', author.pubkey]] });
    const last = author.sign({ kind: 4242, tags: [['t', author.pubkey]], content: 'last' });
    await publisher.publishInOrder([event, last]);
    for (const name of ['by author', 'by kind', 'by tag']) {
      assert.deepEqual((await client.next('EVENT', name))[2], event);
      assert.deepEqual((await client.next('EVENT', name))[2], last);
    }
    assert.deepEqual((await publisher.next('EVENT', 'own'))[2], event);
    assert.deepEqual(client.taken('EVENT', 'other'), []);
  });

  it('ignores limit for new events, and applies since and until to them', async () => {
    const author = new Author();
    const start = now();
    await client.subscribe('live', {
      authors: [author.pubkey],
      limit: 1,
      since: start,
      until: start + 1,
    });
    const inside = [author.sign({ created_at: start }), author.sign({ created_at: start + 1 })];
    const outside = [
      author.sign({ created_at: start - 1 }),
      author.sign({ created_at: start + 2 }),
    ];
    await publisher.publishInOrder([...outside, ...inside]);
    const got = [await client.next('EVENT', 'live'), await client.next('EVENT', 'live')];
    assert.deepEqual(new Set(got.map((m) => m[2].id)), new Set(ids(inside)));
  });

  it('does not deliver an event again when it is published again', async () => {
    const author = new Author();
    const [first, second] = author.notes(2);
    await publisher.publish(first);
    await client.subscribe('again', { authors: [author.pubkey], limit: 0 });
    await publisher.publish(first);
    await publisher.publish(second);
    assert.deepEqual((await client.next('EVENT', 'again'))[2], second);
  });

  it('loses and repeats nothing while events are stored during the query', async () => {
    await publisher.publishAll(racing.slice(0, 100));
    const published = publisher.publishAll(racing.slice(100));
    const names = Array.from({ length: 10 }, (_, i) => `racing ${i}`);
    names.forEach((name) => client.send('REQ', name, { authors: [racer.pubkey], limit: 400 }));
    await published;
    for (const name of names) {
      const got = [];
      while (got.length < 300) got.push((await client.next('EVENT', name))[2].id);
      assert.deepEqual(new Set(got), new Set(ids(racing)));
      client.send('CLOSE', name);
    }
    await client.alive();
    names.forEach((name) => assert.deepEqual(client.taken('EVENT', name), []));
  });

  it('loses nothing when one subscription is opened and the other closed in one breath', async () => {
    const author = new Author();
    const events = author.notes(200);
    const filter = { authors: [author.pubkey], limit: 0 };
    const heard = new Set();
    const listen = () => client.taken('EVENT').forEach((message) => heard.add(message[2].id));
    let turn = 0;
    let published = false;
    await client.subscribe(`turn ${turn}`, filter);
    const oneByOne = async () => {
      for (const event of events) await publisher.publish(event); // each is stored by itself
      published = true;
    };
    const publishing = oneByOne();
    while (!published) {
      client.send('REQ', `turn ${++turn}`, filter);
      client.send('CLOSE', `turn ${turn - 1}`);
      await client.next('EOSE', `turn ${turn}`);
      listen();
    }
    await publishing;
    await until(
      () => (listen(), heard.size === events.length),
      () => `${events.length} events; there are ${heard.size}`,
    );
    client.send('CLOSE', `turn ${turn}`);
  });

  it('can be paged through to the end by until', async () => {
    const author = new Author();
    const events = author.notes(53, { from: kT });
    await publisher.publishAll(events);
    const seen = new Set();
    let filter = { authors: [author.pubkey], limit: 10 };
    for (let page = 0; page < 20; ++page) {
      const { events: found, hint } = await client.subscribe('page', filter);
      found.forEach((event) => seen.add(event.id));
      if (hint[0] === 'finish') break;
      filter = { ...filter, until: found.at(-1).created_at };
    }
    assert.deepEqual(seen, new Set(ids(events)));
  });

  it('keeps the subscriptions of connections apart', async () => {
    const [a, b] = [new Author(), new Author()];
    await client.subscribe('name', { authors: [a.pubkey] });
    await publisher.subscribe('name', { authors: [b.pubkey] });
    const [ofA, ofB] = [a.sign(), b.sign()];
    await publisher.publishAll([ofA, ofB]);
    assert.deepEqual((await client.next('EVENT', 'name'))[2], ofA);
    assert.deepEqual((await publisher.next('EVENT', 'name'))[2], ofB);
  });

  it('repeats any subscription id as it was written', async () => {
    for (const name of ['a"b\\c', 'ünï 🌍', ' ', '\u0001', 'x'.repeat(250), '<&>', '0']) {
      assert.deepEqual(await client.subscribe(name, { ids: [randomHex(32)] }), {
        events: [],
        hint: ['finish'],
      });
      client.send('CLOSE', name);
    }
  });

  it('answers a filter with thousands of values', async () => {
    const author = new Author();
    const events = author.notes(3);
    await publisher.publishAll(events);
    const strangers = Array.from({ length: 5000 }, () => randomHex(32));
    const found = await client.query({ authors: [...strangers, author.pubkey] });
    assert.deepEqual(ids(found), ids(newestFirst(events)));
    assert.deepEqual(ids(await client.query({ ids: [...strangers, events[0].id] })), [
      events[0].id,
    ]);
  });
});
