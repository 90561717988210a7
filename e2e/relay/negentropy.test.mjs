// Reconciliation in both directions (NIP-77).
import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { Author, ids, newestFirst, now, randomHex } from '../helpers/events.mjs';
import { describeOnEachBackend, until } from '../helpers/harness.mjs';
import { firstMessage, reconcile, setOfIds } from '../helpers/negentropy.mjs';

const kT = 1_700_000_000;
const set = (events) => new Set(ids(events));
const none = new Set();

// Signed once for both stores. `corpus` has three events a second, `burst` all in one.
const author = new Author();
const corpus = Array.from({ length: 700 }, (_, i) =>
  author.sign({ kind: 1, created_at: kT + Math.floor(i / 3), content: `${i}` }),
);
const burst = Array.from({ length: 300 }, (_, i) =>
  author.sign({ kind: 2, created_at: kT, content: `${i}` }),
);
// More ids than fit the frames of 60,000 bytes that clients send.
const crowd = Array.from({ length: 2_500 }, (_, i) =>
  author.sign({ kind: 3_333, created_at: kT + i, content: `${i}` }),
);

describeOnEachBackend('reconciling', (relay) => {
  let client;
  before(async () => (client = await relay.connect()));
  const by = (author) => ({ authors: [author.pubkey] });

  it('tells an empty client everything, which it can then fetch', async () => {
    const author = new Author();
    const events = author.notes(40, { from: kT });
    await client.publishAll(events);
    const { have, need } = await reconcile(client, by(author), []);
    assert.deepEqual([have, need], [none, set(events)]);
    assert.deepEqual(set(await client.query({ ids: [...need] })), set(events));
  });

  it('tells a full client everything that is missing here', async () => {
    const author = new Author();
    const events = author.notes(40, { from: kT });
    assert.deepEqual(await reconcile(client, by(author), events), {
      have: set(events),
      need: none,
      rounds: 1,
    });
  });

  for (const frame of [60_000, 4096]) {
    it(`brings two different sets together, with frames of ${frame} bytes`, async () => {
      const part = frame === 4096 ? corpus.slice(0, 351) : corpus.slice(351);
      const filter = {
        ...by(author),
        kinds: [1],
        since: part[0].created_at,
        until: part.at(-1).created_at,
      };
      const here = part.filter((_, i) => i % 5 !== 0 && i !== 7);
      const there = part.filter((_, i) => i % 7 !== 0);
      await client.publishAll(here);
      const { have, need } = await reconcile(client, filter, there, { frame });
      assert.deepEqual(have, set(there.filter((event) => !here.includes(event))));
      assert.deepEqual(need, set(here.filter((event) => !there.includes(event))));

      await client.publishAll(there.filter((event) => have.has(event.id)));
      const union = [...there, ...here.filter((event) => need.has(event.id))];
      const again = await reconcile(client, filter, union);
      assert.deepEqual(again, { have: none, need: none, rounds: 1 });
    });
  }

  it('tells apart events of the same second', async () => {
    await client.publishAll(burst.slice(0, 200));
    const filter = { ...by(author), kinds: [2] };
    const { have, need } = await reconcile(client, filter, burst.slice(100));
    assert.deepEqual([have, need], [set(burst.slice(200)), set(burst.slice(0, 100))]);
  });

  it('finds one difference among many in few rounds', async () => {
    await client.publishAll(corpus);
    const filter = { ...by(author), kinds: [1] };
    const mine = corpus.filter((_, i) => i !== 555);
    const { have, need, rounds } = await reconcile(client, filter, mine);
    assert.deepEqual([have, need], [none, set([corpus[555]])]);
    assert.ok(rounds <= 4, `${rounds} rounds`);
  });

  it('answers in large frames, so that a long line costs few rounds', async () => {
    await client.publishAll(crowd);
    const filter = { ...by(author), kinds: [3_333] };
    for (const frame of [60_000, 10_000_000]) {
      const empty = await reconcile(client, filter, [], { frame });
      assert.deepEqual([empty.need, empty.rounds], [set(crowd), 1]);
      const half = crowd.filter((_, i) => i % 2 === 0);
      const { have, need, rounds } = await reconcile(client, filter, half, { frame });
      assert.deepEqual([have, need], [none, set(crowd.filter((_, i) => i % 2 === 1))]);
      assert.ok(rounds <= 2, `${rounds} rounds`);
    }
  });

  it('looks only at what the filter matches', async () => {
    const author = new Author();
    const notes = author.notes(10, { from: kT });
    const likes = notes.map((note, i) =>
      author.sign({ kind: 7, created_at: kT + i, tags: [['e', note.id]] }),
    );
    await client.publishAll([...notes, ...likes]);
    const needed = async (filter) =>
      (await reconcile(client, { ...by(author), ...filter }, [])).need;
    assert.deepEqual(await needed({ kinds: [7] }), set(likes));
    assert.deepEqual(await needed({ since: kT + 8 }), set([...notes.slice(8), ...likes.slice(8)]));
    assert.deepEqual(await needed({ until: kT, kinds: [1] }), set(notes.slice(0, 1)));
    assert.deepEqual(await needed({ '#e': [notes[3].id] }), set([likes[3]]));
    assert.deepEqual(await needed({ ids: [notes[1].id, randomHex(32)] }), set([notes[1]]));
    assert.deepEqual(await needed({ kinds: [4711] }), none);
  });

  it('covers more than the limit of a query', async () => {
    await client.publishAll(corpus);
    const { need } = await reconcile(client, { ...by(author), kinds: [1] }, []);
    assert.deepEqual(need, set(corpus));
  });

  it('covers the newest events only when its filter has a limit', async () => {
    await client.publishAll(corpus);
    const newest = newestFirst(corpus).slice(0, 7);
    const filter = { ...by(author), kinds: [1], limit: 7 };
    assert.deepEqual((await reconcile(client, filter, [])).need, set(newest));
    const { have, need } = await reconcile(client, filter, newest);
    assert.deepEqual([have, need], [none, none]);
  });

  it('offers nothing that was deleted, replaced or has expired', async () => {
    const author = new Author();
    const [deleted, expiring] = [
      author.sign({ created_at: kT }),
      author.sign({ created_at: kT, tags: [['expiration', String(now() + 3)]] }),
    ];
    const [older, newer] = [0, 1].map((i) =>
      author.sign({ kind: 30_001, created_at: kT + i, tags: [['d', '']] }),
    );
    const request = author.deletion([['e', deleted.id]]);
    await client.publishInOrder([deleted, expiring, older, newer, request]);
    const expected = JSON.stringify([...set([newer, request])].sort());
    const offered = async () =>
      JSON.stringify([...(await reconcile(client, by(author), [])).need].sort());
    await until(async () => (await offered()) === expected, 'only two events to be offered');
  });

  it('runs several sessions on one connection, beside its subscriptions', async () => {
    const authors = Array.from({ length: 6 }, () => new Author());
    const events = authors.map((author) => author.notes(50, { from: kT }));
    await client.publishAll(events.flat());
    await client.subscribe('s0', by(authors[0]));
    const results = await Promise.all(
      authors.map((author, i) =>
        reconcile(client, by(author), events[i].slice(10), { id: `s${i}` }),
      ),
    );
    results.forEach(({ need }, i) => assert.deepEqual(need, set(events[i].slice(0, 10))));
    const live = authors[0].sign();
    await client.publish(live);
    assert.deepEqual((await client.next('EVENT', 's0'))[2], live);
  });

  it('starts anew when the id of a session is opened again', async () => {
    const [a, b] = [new Author(), new Author()];
    await client.publishAll([...a.notes(3), ...b.notes(5)]);
    client.send('NEG-OPEN', 'again', by(a), firstMessage());
    await client.next('NEG-MSG', 'again');
    assert.equal((await reconcile(client, by(b), [], { id: 'again' })).need.size, 5);
  });

  it('gives the last word to the last of many openings of one id', async () => {
    const authors = Array.from({ length: 5 }, () => new Author());
    await client.publishAll(authors.flatMap((author, i) => author.notes(i + 1)));
    client.sendTogether(authors.map((author) => ['NEG-OPEN', 'hasty', by(author), firstMessage()]));
    let message;
    const found = (text) => setOfIds(text).size;
    do message = (await client.next('NEG-MSG', 'hasty'))[2];
    while (found(message) !== 5);
    client.send('NEG-MSG', 'hasty', firstMessage());
    assert.equal(found((await client.next('NEG-MSG', 'hasty'))[2]), 5);
    client.send('NEG-CLOSE', 'hasty');
  });
});
