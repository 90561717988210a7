// Which repositories are hosted: announcements as people and their enemies send them.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as nip19 from 'nostr-tools/nip19';
import { Author, now, signUntil } from '../helpers/events.mjs';
import { kInPurgatory, Repository, sharedHost } from '../helpers/repository.mjs';

const kAdvertisement = '/info/refs?service=git-upload-pack';
const status = async (repository) =>
  (await repository.server.get(repository.path + kAdvertisement, { raw: true })).status;
const isServed = async (client, event) => (await client.query({ ids: [event.id] })).length === 1;
const kSuperseded = [true, 'duplicate: superseded by a newer event'];

function assertRefused([accepted, text], reason) {
  assert.equal(accepted, false, text);
  assert.match(text, reason);
}
const kNotListed = /^invalid: Announcement must list service in both 'clone' and 'relays' tags/;

describe('announcements', () => {
  const host = sharedHost();

  it('open a repository for pushes, and are shown to nobody before', async () => {
    const { server, client } = host;
    const repository = new Repository(server);
    const announcement = repository.announcement();
    const reader = await server.connect();
    await reader.subscribe('live', { kinds: [30617], authors: [repository.owner.pubkey] });
    assert.equal(await status(repository), 404);
    assert.deepEqual(await client.publish(announcement), [true, kInPurgatory]);
    assert.deepEqual(await client.publish(announcement), [true, 'duplicate: in purgatory']);
    assert.equal(await status(repository), 200);
    assert.equal(await isServed(client, announcement), false);
    assert.equal(await client.count({ ids: [announcement.id] }).then((c) => c.count), 0);
    await reader.alive();
    assert.deepEqual(reader.taken('EVENT', 'live'), []);
    reader.close();
  });

  it('must name this service by URL, not by some text', async () => {
    const { server, client } = host;
    const authority = `127.0.0.1:${server.port}`;
    const repository = new Repository(server);
    const { npub, owner } = repository;
    const other = nip19.npubEncode(new Author().pubkey);
    const attempts = [
      { clone: [`https://evil.example/?x=${authority}/${npub}/project.git`] },
      { clone: [`https://${authority}.evil.example/${npub}/project.git`] },
      { clone: [`https://${authority}@evil.example/${npub}/project.git`] },
      { clone: [`http://127.0.0.1:${server.port + 1}/${npub}/project.git`] },
      { clone: [`http://${authority}/${other}/project.git`] },
      { clone: [`http://${authority}/${npub}/other.git`] },
      { clone: [`http://${authority}/${npub}/x/../project.git`] },
      { clone: [`ssh://${authority}/${npub}/project.git`] },
      { clone: [] },
      { relays: [] },
      { relays: [`wss://evil.example/?${authority}`] },
      { relays: [`wss://${authority}.evil.example`] },
    ];
    for (const attempt of attempts) {
      assertRefused(await client.publish(repository.announcement(attempt)), kNotListed);
    }
    assert.equal(await status(repository), 404);
    const shapes = [
      { clone: [`https://elsewhere.example/x.git`, `http://${authority}/${npub}/project.git/`] },
      { clone: [`http://${authority}/${owner.pubkey}/project.git`] },
      { relays: ['wss://elsewhere.example', `ws://${authority}/`] },
    ];
    for (const [i, shape] of shapes.entries()) {
      const announcement = repository.announcement({ ...shape, created_at: now() + i });
      assert.deepEqual(await client.publish(announcement), [true, kInPurgatory]);
    }
  });

  it('with a name that is no folder are refused', async () => {
    const { server, client } = host;
    for (const identifier of ['', '.', '..', 'a/b', '../x', 'a\\b', 'a\u0000b', 'a\nb', 'x'.repeat(252)]) {
      const repository = new Repository(server, { identifier });
      assertRefused(await client.publish(repository.announcement()), /^invalid: /);
    }
    for (const identifier of ['a b', 'x.git', 'a:b', '<script>', 'ünïcode', 'x'.repeat(251)]) {
      const repository = new Repository(server, { identifier });
      const announcement = repository.announcement();
      assert.deepEqual(await client.publish(announcement), [true, kInPurgatory], identifier);
      assert.equal(await status(repository), 200, identifier);
    }
    const twice = new Repository(server).announcement({ tags: [['clone', 'https://x.example']] });
    assertRefused(await client.publish(twice), /^invalid: .*multiple clone tags/);
  });

  it('of a repository that is served are replaced at once', async () => {
    const { server, client } = host;
    const repository = new Repository(server);
    await repository.publish(client);
    const next = repository.announcement({ created_at: now() + 1, tags: [['t', 'new']] });
    assert.deepEqual(await client.publish(next), [true, '']);
    const [served] = await client.query({ kinds: [30617], authors: [repository.owner.pubkey] });
    assert.deepEqual(served, next);
  });

  it('are not undone by a copy of an older one', async () => {
    const { server, client } = host; // acceptance.md §4.3
    const repository = new Repository(server);
    const maintainer = new Author();
    const older = repository.announcement({ maintainers: [maintainer], created_at: now() - 10 });
    const newer = repository.announcement({ created_at: now() - 5 });
    await client.publishInOrder([older, newer]);
    assert.deepEqual(await client.publish(older), kSuperseded);
    const state = repository.state({ 'refs/heads/main': 'a'.repeat(40) }, { by: maintainer });
    assertRefused(await client.publish(state), /^restricted: author not authorized/);
  });

  it('of the same second are ordered by id', async () => {
    const { server, client } = host; // acceptance.md §1
    const repository = new Repository(server);
    const at = now();
    let n = 0;
    const make = () => repository.announcement({ created_at: at, tags: [['t', `${(n += 1)}`]] });
    const high = make();
    const low = signUntil((event) => event.id < high.id, make);
    assert.deepEqual(await client.publish(low), [true, kInPurgatory]);
    assert.deepEqual(await client.publish(high), kSuperseded);
  });

  it('that move a repository elsewhere take it out of service, for good', async () => {
    const { server, client } = host; // acceptance.md §12.1
    const repository = new Repository(server);
    await repository.publish(client);
    const [here] = await client.query({ kinds: [30617], authors: [repository.owner.pubkey] });
    const away = repository.announcement({
      created_at: now() + 1,
      clone: ['https://elsewhere.example/x.git'],
      relays: ['wss://elsewhere.example'],
    });
    assertRefused(await client.publish(away), kNotListed);
    assert.equal(await status(repository), 404);
    assert.equal(await isServed(client, here), false);
    assert.deepEqual(await client.publish(here), kSuperseded);
    assert.equal(await status(repository), 404);

    // And when it comes back, nothing needs to be pushed.
    const back = repository.announcement({ created_at: now() + 2 });
    assert.deepEqual(await client.publish(back), [true, '']);
    assert.equal(await isServed(client, back), true);
    assert.equal(await status(repository), 200);
  });

  it('of a repository that waits may move it elsewhere too', async () => {
    const { server, client } = host;
    const repository = new Repository(server);
    const here = repository.announcement();
    await client.publishAll([here]);
    const away = repository.announcement({ created_at: now() + 1, relays: ['wss://x.example'] });
    assertRefused(await client.publish(away), kNotListed);
    assert.equal(await status(repository), 404);
    assert.deepEqual(await client.publish(here), kSuperseded);
  });
});

describe('the operator', () => {
  const [blocked, silenced, welcome] = [new Author(), new Author(), new Author()];
  const npub = (author) => nip19.npubEncode(author.pubkey);
  const host = sharedHost({
    NGIT_REPOSITORY_BLACKLIST: `${npub(blocked)}, spam, not-an-npub1`,
    NGIT_REPOSITORY_WHITELIST: `${npub(blocked)},${npub(welcome)},shared`,
    NGIT_EVENT_BLACKLIST: npub(silenced),
  });

  it('refuses whom it does not want', async () => {
    const { server, client } = host;
    const answer = (owner, identifier) =>
      client.publish(new Repository(server, { owner, identifier }).announcement());
    assert.deepEqual(await answer(welcome, 'mine'), [true, kInPurgatory]);
    assert.deepEqual(await answer(new Author(), 'shared'), [true, kInPurgatory]);
    const outsider = new Author();
    assert.deepEqual(await answer(outsider, 'mine'), [
      false,
      `blocked: Announcement lists service but does not match repository whitelist. ` +
        `Repository ${npub(outsider)}/mine not in whitelist`,
    ]);
    assert.deepEqual(await answer(blocked, 'x'), [
      false,
      `blocked: Repository owner ${npub(blocked)} is blacklisted`,
    ]);
    assert.deepEqual(await answer(welcome, 'spam'), [
      false,
      'blocked: Repository identifier spam is blacklisted',
    ]);
    for (const kind of [0, 1, 5, 62, 20001, 30617]) {
      assert.deepEqual(await client.publish(silenced.sign({ kind, tags: [['relay', 'ALL_RELAYS']] })), [
        false,
        `blocked: Event author ${npub(silenced)} is blacklisted`,
      ]);
    }
  });
});
