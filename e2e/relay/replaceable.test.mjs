// Of a replaceable or addressable event only the newest is kept (NIP-01).
import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { Author, newestFirst, randomHex, signUntil } from '../helpers/events.mjs';
import { describeOnEachBackend } from '../helpers/harness.mjs';

const kT = 1_700_000_000;
const kSuperseded = [true, 'duplicate: superseded by a newer event'];

describeOnEachBackend('replaceable events', (relay) => {
  let client;
  before(async () => (client = await relay.connect()));
  const held = (author, kind, filter = {}) =>
    client.query({ authors: [author.pubkey], kinds: [kind], ...filter });

  for (const kind of [0, 3, 10_000, 10_002, 19_999, 30_000, 30_617, 39_999]) {
    it(`keep the newest version of kind ${kind}, in whatever order they come`, async () => {
      for (const order of [
        [0, 1, 2],
        [2, 1, 0],
        [1, 2, 0],
      ]) {
        const author = new Author();
        const versions = [0, 1, 2].map((i) =>
          author.sign({ kind, created_at: kT + i, tags: [['d', 'x']], content: `${i}` }),
        );
        for (const i of order) assert.equal((await client.publish(versions[i]))[0], true);
        assert.deepEqual(await held(author, kind), [versions[2]]);
        assert.deepEqual(await client.query({ ids: [versions[0].id, versions[1].id] }), []);
        assert.deepEqual(await client.count({ authors: [author.pubkey] }), { count: 1 });
      }
    });

    it(`keep the lower id of two versions of kind ${kind} of the same second`, async () => {
      for (const lowerFirst of [true, false]) {
        const author = new Author();
        const versions = newestFirst(
          [0, 1].map((i) =>
            author.sign({ kind, created_at: kT, tags: [['d', 'x']], content: `${i}` }),
          ),
        );
        const [lower, higher] = versions;
        assert.deepEqual(await client.publish(lowerFirst ? lower : higher), [true, '']);
        const answer = await client.publish(lowerFirst ? higher : lower);
        assert.deepEqual(answer, lowerFirst ? kSuperseded : [true, '']);
        assert.deepEqual(await held(author, kind), [lower]);
      }
    });
  }

  it('answer an older version, and a replaced one that comes again, as superseded', async () => {
    const author = new Author();
    const [old, older, newest] = [1, 0, 2].map((i) =>
      author.sign({ kind: 10_002, created_at: kT + i }),
    );
    await client.publish(old);
    assert.deepEqual(await client.publish(older), kSuperseded);
    assert.deepEqual(await client.publish(newest), [true, '']);
    assert.deepEqual(await client.publish(old), kSuperseded);
    assert.deepEqual(await client.publish(newest), [true, 'duplicate: already have this event']);
  });

  it('are not delivered to listeners when they are superseded', async () => {
    const author = new Author();
    await client.subscribe('versions', { authors: [author.pubkey] });
    const [older, newer, newest] = [0, 1, 2].map((i) =>
      author.sign({ kind: 30_001, created_at: kT + i, tags: [['d', '']] }),
    );
    for (const event of [newer, older, newest]) await client.publish(event);
    assert.deepEqual((await client.next('EVENT', 'versions'))[2], newer);
    assert.deepEqual((await client.next('EVENT', 'versions'))[2], newest);
  });

  it('stand apart by author and kind', async () => {
    const [a, b] = [new Author(), new Author()];
    const events = [
      a.sign({ kind: 0 }),
      a.sign({ kind: 3 }),
      b.sign({ kind: 0 }),
      a.sign({ kind: 10_000 }),
    ];
    await client.publishAll(events);
    const found = await client.query({ authors: [a.pubkey, b.pubkey] });
    assert.equal(found.length, 4);
  });

  it('ignore d where the kind is not addressable', async () => {
    const author = new Author();
    const [one, two] = ['one', 'two'].map((d, i) =>
      author.sign({ kind: 10_003, created_at: kT + i, tags: [['d', d]] }),
    );
    await client.publishAll([one, two]);
    assert.deepEqual(await held(author, 10_003), [two]);
  });

  it('are addressed by a d of any form', async () => {
    const author = new Author();
    const start = randomHex(300);
    const names = [
      '',
      'a',
      'A',
      'a:b',
      'a:b:c',
      ':',
      '🌍',
      'a b',
      ' a',
      'ä',
      '"',
      '\\',
      start,
      `${start}x`,
      randomHex(2000),
    ];
    const make = (d, i) => author.sign({ kind: 30_617, created_at: kT + i, tags: [['d', d]] });
    await client.publishAll(names.map((d) => make(d, 0)));
    const second = names.map((d, i) => make(d, 1 + i));
    await client.publishAll(second);
    assert.equal((await held(author, 30_617)).length, names.length);
    for (const [i, d] of names.entries())
      assert.deepEqual(await held(author, 30_617, { '#d': [d] }), [second[i]], d);
  });

  it('take a missing d for an empty one, and the first d of several', async () => {
    const author = new Author();
    const missing = author.sign({ kind: 30_001, created_at: kT });
    const bare = author.sign({ kind: 30_001, created_at: kT + 1, tags: [['d']] });
    const empty = author.sign({
      kind: 30_001,
      created_at: kT + 2,
      tags: [
        ['d', ''],
        ['d', 'second'],
      ],
    });
    const second = author.sign({
      kind: 30_001,
      created_at: kT + 3,
      tags: [
        ['d', 'second'],
        ['d', ''],
      ],
    });
    await client.publishAll([missing, bare, empty, second]);
    assert.deepEqual(await held(author, 30_001), [second, empty]);
  });

  it('leave kinds outside their ranges alone', async () => {
    for (const kind of [1, 2, 4, 44, 1000, 9999, 40_000]) {
      const author = new Author();
      await client.publishAll(
        [0, 1].map((i) => author.sign({ kind, created_at: kT + i, tags: [['d', 'x']] })),
      );
      assert.equal((await held(author, kind)).length, 2, `kind ${kind}`);
    }
  });

  it('stay consistent when many versions race', async () => {
    const author = new Author();
    const clients = await Promise.all([1, 2, 3, 4].map(() => relay.connect()));
    const versions = Array.from({ length: 120 }, (_, i) =>
      author.sign({
        kind: 30_001,
        created_at: kT + (i % 7),
        tags: [['d', 'race']],
        content: `${i}`,
      }),
    );
    await Promise.all(
      clients.map((one, c) => one.publishAll(versions.filter((_, i) => i % clients.length === c))),
    );
    assert.deepEqual(await held(author, 30_001), [newestFirst(versions)[0]]);
  });

  it('win against a version of the same second by the lower id, even by one bit', async () => {
    const author = new Author();
    const sign = (i) => author.sign({ kind: 10_005, created_at: kT, content: `${i}` });
    const holder = sign('holder');
    const lower = signUntil((event) => event.id < holder.id, sign);
    await client.publishAll([holder, lower]);
    assert.deepEqual(await held(author, 10_005), [lower]);
  });
});
