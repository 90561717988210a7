// Tag conditions of filters (NIP-01).
import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { Author, ids, newestFirst, randomHex } from '../helpers/events.mjs';
import { describeOnEachBackend } from '../helpers/harness.mjs';

const kLetters = [...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'];

describeOnEachBackend('tag filters', (relay) => {
  let client;
  before(async () => (client = await relay.connect()));

  it('find every single-letter tag, telling upper from lower case', async () => {
    const author = new Author();
    const value = randomHex(32);
    const events = kLetters.map((letter, i) =>
      author.sign({ created_at: 1_700_000_000 + i, tags: [[letter, value]] }),
    );
    await client.publishAll(events);
    for (const [i, letter] of kLetters.entries()) {
      assert.deepEqual(await client.query({ [`#${letter}`]: [value] }), [events[i]], letter);
    }
  });

  it('look at the first value only', async () => {
    const author = new Author();
    const [first, second] = [randomHex(32), randomHex(32)];
    const event = author.sign({ tags: [['e', first, second], ['e'], ['e', '']] });
    await client.publishAll([event]);
    assert.deepEqual(await client.query({ '#e': [first] }), [event]);
    assert.deepEqual(await client.query({ '#e': [second] }), []);
  });

  it('find every tag of the same name', async () => {
    const author = new Author();
    const values = Array.from({ length: 30 }, () => randomHex(8));
    const event = author.sign({ tags: values.map((value) => ['t', value]) });
    await client.publishAll([event]);
    for (const value of values) assert.deepEqual(await client.query({ '#t': [value] }), [event]);
    assert.deepEqual(await client.query({ '#t': values }), [event]);
  });

  it('take values with or, several tags with and', async () => {
    const author = new Author();
    const [x, y, z] = [randomHex(8), randomHex(8), randomHex(8)];
    const make = (i, ...tags) => author.sign({ created_at: 1_700_000_000 + i, tags });
    const [xy, xz, yz] = [
      make(0, ['t', x], ['r', y]),
      make(1, ['t', x], ['r', z]),
      make(2, ['t', y], ['r', z]),
    ];
    await client.publishAll([xy, xz, yz]);
    assert.deepEqual(ids(await client.query({ '#t': [x, y] })), ids(newestFirst([xy, xz, yz])));
    assert.deepEqual(await client.query({ '#t': [x], '#r': [z] }), [xz]);
    assert.deepEqual(await client.query({ '#t': [x, y], '#r': [y] }), [xy]);
    assert.deepEqual(await client.query({ '#t': [z], '#r': [z] }), []);
  });

  it('combine with authors, kinds and times', async () => {
    const [a, b] = [new Author(), new Author()];
    const tag = ['t', randomHex(8)];
    const events = [a, b].flatMap((who) =>
      [1, 7].map((kind) => who.sign({ kind, created_at: 1_700_000_000 + kind, tags: [tag] })),
    );
    await client.publishAll(events);
    const found = async (filter) => ids(await client.query({ '#t': [tag[1]], ...filter }));
    assert.equal((await found({})).length, 4);
    assert.deepEqual(await found({ authors: [a.pubkey], kinds: [7] }), [events[1].id]);
    assert.equal((await found({ since: 1_700_000_002 })).length, 2);
    assert.equal((await found({ kinds: [1], limit: 1 })).length, 1);
  });

  it('compare whole values, however long and whatever characters', async () => {
    const author = new Author();
    const start = randomHex(300);
    const values = [
      '',
      ' ',
      'Case',
      'case',
      'ünï',
      '🌍',
      'a"b\\c',
      'a\u0000b',
      'a',
      start,
      `${start}1`,
      `${start}2`,
      randomHex(4000),
    ];
    const mark = randomHex(8);
    const events = values.map((value, i) =>
      author.sign({
        created_at: 1_700_000_000 + i,
        tags: [
          ['x', value],
          ['m', mark],
        ],
      }),
    );
    await client.publishAll(events);
    for (const [i, value] of values.entries()) {
      assert.deepEqual(
        await client.query({ '#x': [value], '#m': [mark] }),
        [events[i]],
        `value ${i}`,
      );
      assert.deepEqual(
        await client.query({ '#x': [value], authors: [author.pubkey] }),
        [events[i]],
        `value ${i}`,
      );
    }
  });

  it('reach new events too', async () => {
    const author = new Author();
    const target = randomHex(32);
    await client.subscribe('tagged', { '#E': [target] });
    const events = [
      ['e', target],
      ['E', randomHex(32), target],
      ['E', target],
    ].map((tag) => author.sign({ tags: [tag] }));
    await client.publishInOrder(events);
    assert.deepEqual((await client.next('EVENT', 'tagged'))[2], events[2]);
  });

  it('refuse what is no single letter, instead of answering another question', async () => {
    for (const name of ['#alt', '#1', '#', '#ä', '#-', '# ']) {
      const { closed } = await client.subscribe('unknown', { [name]: ['x'] });
      assert.match(closed ?? 'answered', /^unsupported: filter contains unknown elements/, name);
    }
  });
});
