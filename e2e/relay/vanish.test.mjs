// Requests to vanish (NIP-62).
import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { Author, ids } from '../helpers/events.mjs';
import { describeOnEachBackend } from '../helpers/harness.mjs';

const kT = 1_700_000_000;
const kVanished = [false, 'blocked: the author asked to vanish'];

describeOnEachBackend('vanishing', (relay) => {
  let client;
  before(async () => (client = await relay.connect()));
  const request = (author, ...urls) =>
    author.sign({ kind: 62, created_at: kT + 50, tags: urls.map((url) => ['relay', url]) });
  const held = async (author) => ids(await client.query({ authors: [author.pubkey] }));

  async function vanishes(...urls) {
    const author = new Author();
    const [early, late] = [author.sign({ created_at: kT }), author.sign({ created_at: kT + 51 })];
    await client.publishInOrder([
      early,
      late,
      author.sign({ kind: 0, created_at: kT }),
      author.deletion([['e', early.id]], { created_at: kT }),
    ]);
    assert.deepEqual(await client.publish(request(author, ...urls)), [true, '']);
    const left = await client.query({ authors: [author.pubkey] });
    assert.deepEqual(ids(left.filter((event) => event.kind !== 62)), [late.id]);
    return { author, early, late };
  }

  it('removes everything its author wrote up to then, deletions too', async () => {
    await vanishes(relay.server.url);
  });

  it('is asked for by ALL_RELAYS too', async () => {
    await vanishes('ALL_RELAYS');
  });

  it('knows its own address in every spelling, and among others', async () => {
    const { port } = relay.server;
    await vanishes(`ws://127.0.0.1:${port}/`);
    await vanishes(`WS://127.0.0.1:${port}`);
    await vanishes('wss://relay.example.com', relay.server.url);
  });

  it('is refused when it names no relay', async () => {
    const [accepted, reason] = await client.publish(request(new Author()));
    assert.deepEqual([accepted, reason], [false, 'invalid: a request to vanish needs a relay tag']);
  });

  it('does nothing when another relay is meant', async () => {
    for (const url of [
      'wss://relay.example.com',
      'ws://127.0.0.1:1',
      'all_relays',
      '',
      'nonsense',
    ]) {
      const author = new Author();
      const event = author.sign({ created_at: kT });
      await client.publish(event);
      await client.publish(request(author, url));
      assert.ok((await held(author)).includes(event.id), url);
      assert.deepEqual(await client.publish(author.sign({ created_at: kT + 1 })), [true, '']);
    }
  });

  it('refuses what is republished, and takes what is written later', async () => {
    const { author, early } = await vanishes(relay.server.url);
    assert.deepEqual(await client.publish(early), kVanished);
    assert.deepEqual(
      await client.publish(author.sign({ created_at: kT + 49, content: 'never seen' })),
      kVanished,
    );
    assert.deepEqual(await client.publish(author.sign({ created_at: kT + 52 })), [true, '']);
  });

  it('leaves everybody else alone', async () => {
    const other = new Author();
    const event = other.sign({ created_at: kT });
    await client.publish(event);
    await vanishes(relay.server.url);
    assert.deepEqual(await held(other), [event.id]);
  });

  it('removes gift wraps addressed to the author', async () => {
    const [author, friend, other] = [new Author(), new Author(), new Author()];
    const wrap = (to, created_at = kT) =>
      friend.sign({ kind: 1059, created_at, tags: [['p', to.pubkey]] });
    const [mine, foreign, later] = [wrap(author), wrap(other), wrap(author, kT + 51)];
    await client.publishAll([
      mine,
      foreign,
      later,
      friend.sign({ created_at: kT, tags: [['p', author.pubkey]] }),
    ]);
    await client.publish(request(author, relay.server.url));
    const left = ids(await client.query({ authors: [friend.pubkey], kinds: [1059] }));
    assert.deepEqual(left, [later.id, foreign.id]);
    assert.equal((await client.query({ authors: [friend.pubkey], kinds: [1] })).length, 1);
    assert.equal((await client.publish(mine))[0], false);
  });

  it('cannot be taken back by a deletion', async () => {
    const author = new Author();
    const event = author.sign({ created_at: kT });
    const vanish = request(author, 'ALL_RELAYS');
    await client.publishInOrder([event, vanish]);
    await client.publish(author.deletion([['e', vanish.id]], { created_at: kT + 60 }));
    assert.deepEqual(await client.publish(event), kVanished);
  });
});
