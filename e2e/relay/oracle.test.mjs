// Random questions about a random corpus: the answers must be those of a loop over all events.
import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { Author, ids, newestFirst, sha256 } from '../helpers/events.mjs';
import { describeOnEachBackend } from '../helpers/harness.mjs';
import { reconcile } from '../helpers/negentropy.mjs';

const kT = 1_700_000_000;
const kSeed = Number(process.env.E2E_SEED ?? Date.now() % 1_000_000);

// A small generator (mulberry32), so that a failure can be repeated with E2E_SEED.
function generator(seed) {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}

function matches(filter, event) {
  const tagged = ([name, values]) =>
    !name.startsWith('#') || event.tags.some(([n, v]) => n === name[1] && values.includes(v));
  return (
    (filter.ids?.includes(event.id) ?? true) &&
    (filter.authors?.includes(event.pubkey) ?? true) &&
    (filter.kinds?.includes(event.kind) ?? true) &&
    event.created_at >= (filter.since ?? 0) &&
    event.created_at <= (filter.until ?? Infinity) &&
    Object.entries(filter).every(tagged)
  );
}

const random = generator(kSeed);
const hex = (name) => sha256(`${kSeed} ${name}`);
const pick = (list) => list[random(list.length)];
const some = (list, most) => Array.from({ length: 1 + random(most) }, () => pick(list));
const authors = Array.from({ length: 6 }, (_, i) => new Author(Buffer.from(hex(i), 'hex')));
const kinds = [1, 6, 7, 1111, 1617, 9999, 40_000];
const words = ['a', 'b', 'c', 'ä', hex('long').repeat(6), ''];
const corpus = Array.from({ length: 500 }, (_, i) =>
  pick(authors).sign({
    kind: pick(kinds),
    created_at: kT + random(80),
    tags: Array.from({ length: random(4) }, () => [pick(['t', 'T', 'x', 'alt']), pick(words)]),
    content: `${i}`,
  }),
);
const maybe = (filter, name, make) => {
  if (random(3) === 0) filter[name] = make();
};
const question = () => {
  const filter = {};
  maybe(filter, 'authors', () => some([...authors.map((a) => a.pubkey), hex('stranger')], 3));
  maybe(filter, 'kinds', () => some([...kinds, 4], 3));
  for (const name of ['#t', '#T', '#x']) maybe(filter, name, () => some([...words, 'z'], 2));
  maybe(filter, 'since', () => kT + random(80));
  maybe(filter, 'until', () => kT + random(80));
  if (random(10) === 0) filter.ids = some(ids(corpus), 20);
  return filter;
};

describeOnEachBackend(`random questions (seed ${kSeed})`, (relay) => {
  let client;
  before(async () => {
    client = await relay.connect();
    await client.publishAll(corpus);
  });

  it('are answered with exactly what matches, in order, up to the limit', async () => {
    for (let i = 0; i < 250; ++i) {
      const filter = question();
      const limit = 1 + random(filter.ids ? 500 : 60);
      const all = newestFirst(corpus.filter((event) => matches(filter, event)));
      const { events, hint } = await client.subscribe(
        'q',
        filter.ids ? filter : { ...filter, limit },
      );
      const shown = JSON.stringify({ ...filter, limit });
      assert.deepEqual(ids(events), ids(filter.ids ? all : all.slice(0, limit)), shown);
      assert.deepEqual(hint, [all.length > events.length ? 'more' : 'finish'], shown);
    }
  });

  it('are answered for several filters at once', async () => {
    for (let i = 0; i < 80; ++i) {
      const filters = Array.from({ length: 2 + random(4) }, () => ({ ...question(), limit: 500 }));
      const all = newestFirst(corpus.filter((event) => filters.some((f) => matches(f, event))));
      assert.deepEqual(ids(await client.query(...filters)), ids(all), JSON.stringify(filters));
      assert.equal((await client.count(...filters)).count, all.length, JSON.stringify(filters));
    }
  });

  it('are answered by reconciliation too', async () => {
    for (let i = 0; i < 60; ++i) {
      const filter = question();
      const mine = corpus.filter(() => random(3) > 0);
      const theirs = corpus.filter((event) => matches(filter, event));
      const { have, need } = await reconcile(client, filter, mine);
      const shown = JSON.stringify(filter);
      assert.deepEqual(have, new Set(ids(mine.filter((e) => !theirs.includes(e)))), shown);
      assert.deepEqual(need, new Set(ids(theirs.filter((e) => !mine.includes(e)))), shown);
    }
  });

  it('are answered for new events as for stored ones', async () => {
    const filters = Array.from({ length: 40 }, question).filter((filter) => !filter.ids);
    const fresh = corpus
      .slice(0, 60)
      .map(({ kind, created_at, tags }, i) =>
        pick(authors).sign({ kind, created_at, tags, content: `fresh ${i}` }),
      );
    for (const [i, filter] of filters.entries())
      await client.subscribe(`l${i}`, { ...filter, limit: 0 });
    const last = new Author().sign({ kind: 9, content: 'last' });
    await client.subscribe('last', { authors: [last.pubkey] });
    await client.publishAll(fresh);
    await client.publish(last);
    await client.next('EVENT', 'last');
    for (const [i, filter] of filters.entries()) {
      const heard = client.taken('EVENT', `l${i}`).map((message) => message[2]);
      const expected = [...fresh, last].filter((event) => matches(filter, event));
      assert.deepEqual(new Set(ids(heard)), new Set(ids(expected)), JSON.stringify(filter));
      assert.equal(heard.length, expected.length);
    }
  });
});
