// Requests to delete (NIP-09).
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { Author } from '../helpers/events.mjs';
import { describeOnEachBackend, removeDirectory, Server, temporaryDirectory } from '../helpers/harness.mjs';

const kT = 1_700_000_000;
const kDeleted = [false, 'blocked: this event is deleted'];
const addressOf = ({ kind, pubkey, tags }) =>
  `${kind}:${pubkey}:${tags.find((tag) => tag[0] === 'd')?.[1] ?? ''}`;

describeOnEachBackend('deletions', (relay) => {
  let client;
  before(async () => (client = await relay.connect()));
  const stored = async (event) => (await client.query({ ids: [event.id] })).length === 1;

  it('remove events by id, and keep the request', async () => {
    const author = new Author();
    const [first, second, third] = author.notes(3);
    await client.publishAll([first, second, third]);
    const request = author.deletion([
      ['e', first.id],
      ['e', second.id],
      ['k', '1'],
    ]);
    assert.deepEqual(await client.publish(request), [true, '']);
    assert.deepEqual(await client.query({ authors: [author.pubkey] }), [request, third]);
    assert.deepEqual(await client.count({ authors: [author.pubkey] }), { count: 2 });
  });

  it('refuse the deleted event when it comes again', async () => {
    const author = new Author();
    const event = author.sign();
    await client.publishInOrder([event, author.deletion([['e', event.id]])]);
    assert.deepEqual(await client.publish(event), kDeleted);
    assert.equal(await stored(event), false);
  });

  it('refuse an event that arrives after its deletion', async () => {
    const author = new Author();
    const event = author.sign();
    await client.publish(author.deletion([['e', event.id]]));
    assert.deepEqual(await client.publish(event), kDeleted);
  });

  it('do nothing to the events of others', async () => {
    const [author, stranger] = [new Author(), new Author()];
    const [present, late] = author.notes(2);
    const list = author.sign({ kind: 30_001, created_at: kT, tags: [['d', 'mine']] });
    await client.publishAll([present, list]);
    const tags = [
      ['e', present.id],
      ['e', late.id],
      ['a', addressOf(list)],
    ];
    assert.deepEqual(await client.publish(stranger.deletion(tags)), [true, '']);
    assert.ok((await stored(present)) && (await stored(list)));
    assert.deepEqual(await client.publish(late), [true, '']);
    assert.deepEqual(
      await client.publish(
        author.sign({ kind: 30_001, created_at: kT + 1, tags: [['d', 'mine']] }),
      ),
      [true, ''],
    );
  });

  it('remove by address every version up to their own time', async () => {
    for (const [kind, d] of [
      [30_001, 'list'],
      [30_617, 'a:b:🌍'],
      [30_001, ''],
      [10_002, ''],
      [0, ''],
    ]) {
      const author = new Author();
      const version = (i) => author.sign({ kind, created_at: kT + i, tags: [['d', d]] });
      const [before_, same, later] = [version(0), version(5), version(6)];
      await client.publish(before_);
      const request = author.deletion([['a', `${kind}:${author.pubkey}:${d}`]], {
        created_at: kT + 5,
      });
      assert.deepEqual(await client.publish(request), [true, '']);
      assert.equal(await stored(before_), false, `${kind}:${d}`);
      assert.deepEqual(await client.publish(version(4)), kDeleted);
      assert.deepEqual(await client.publish(same), kDeleted);
      assert.deepEqual(await client.publish(later), [true, '']);
    }
  });

  it('leave a version newer than themselves alone', async () => {
    const author = new Author();
    const event = author.sign({ kind: 30_001, created_at: kT + 10, tags: [['d', 'list']] });
    await client.publishInOrder([
      event,
      author.deletion([['a', addressOf(event)]], { created_at: kT + 9 }),
    ]);
    assert.ok(await stored(event));
  });

  it('by address touch only that address', async () => {
    const author = new Author();
    const lists = ['a', 'a:b', 'b'].map((d) =>
      author.sign({ kind: 30_001, created_at: kT, tags: [['d', d]] }),
    );
    await client.publishInOrder([
      ...lists,
      author.deletion([['a', addressOf(lists[0])]], { created_at: kT + 1 }),
    ]);
    assert.deepEqual(
      [await stored(lists[0]), await stored(lists[1]), await stored(lists[2])],
      [false, true, true],
    );
  });

  it('by id remove one version of a list, not the ones after it', async () => {
    const author = new Author();
    const [old, later] = [0, 1].map((i) =>
      author.sign({ kind: 30_001, created_at: kT + i, tags: [['d', 'list']] }),
    );
    await client.publishInOrder([old, author.deletion([['e', old.id]])]);
    assert.equal(await stored(old), false);
    assert.deepEqual(await client.publish(later), [true, '']);
  });

  it('cannot be deleted themselves', async () => {
    const author = new Author();
    const event = author.sign();
    const request = author.deletion([['e', event.id]]);
    await client.publishInOrder([
      event,
      request,
      author.deletion([['e', request.id]], { content: 'undo' }),
    ]);
    assert.ok(await stored(request));
    assert.deepEqual(await client.publish(event), kDeleted);
  });

  it('reach listeners as events', async () => {
    const author = new Author();
    const event = author.sign();
    await client.publish(event);
    await client.subscribe('deletions', { kinds: [5], authors: [author.pubkey] });
    const request = author.deletion([['e', event.id]]);
    await client.publish(request);
    assert.deepEqual((await client.next('EVENT', 'deletions'))[2], request);
  });

  it('ignore tags that name nothing', async () => {
    const author = new Author();
    const event = author.sign();
    await client.publish(event);
    const tags = [
      ['e', 'nonsense'],
      ['e'],
      ['a', 'x:y:z'],
      ['a'],
      ['a', `99999:${author.pubkey}:d`],
      ['e', event.id.toUpperCase()],
    ];
    assert.deepEqual(await client.publish(author.deletion(tags)), [true, '']);
    assert.ok(await stored(event));
  });

  it('work for many events in one request', async () => {
    const author = new Author();
    const events = author.notes(150);
    await client.publishAll(events);
    await client.publish(author.deletion(events.map((event) => ['e', event.id])));
    assert.deepEqual(await client.count({ authors: [author.pubkey], kinds: [1] }), { count: 0 });
  });
});

describe('deletions', () => {
  it('are remembered across a restart', async (t) => {
    const directory = await temporaryDirectory();
    t.after(() => removeDirectory(directory));
    const author = new Author();
    const [seen, unseen] = author.notes(2);
    const list = author.sign({ kind: 30_001, created_at: kT, tags: [['d', 'list']] });
    const first = await Server.start({}, { directory });
    const tags = [
      ['e', seen.id],
      ['e', unseen.id],
      ['a', addressOf(list)],
    ];
    await (await first.connect()).publishInOrder([seen, list, author.deletion(tags)]);
    await first.stop();
    const second = await Server.start({}, { directory });
    t.after(() => second.stop());
    const client = await second.connect();
    for (const event of [seen, unseen, list])
      assert.deepEqual(await client.publish(event), kDeleted);
  });
});
