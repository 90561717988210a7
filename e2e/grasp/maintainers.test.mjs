// Who may say what a repository looks like: chains, circles, removals, roles, namesakes.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Author, now } from '../helpers/events.mjs';
import { Checkout, kInPurgatory, remoteRefs, Repository, sharedHost } from '../helpers/repository.mjs';

const kNotAuthorised = [false, 'restricted: author not authorized for this repository'];
const elsewhere = { clone: ['https://elsewhere.example/x.git'], relays: ['wss://elsewhere.example'] };
const isServed = async (client, event) => (await client.query({ ids: [event.id] })).length === 1;

// Pushes one more commit, declared by `by`; the push's refs are there afterwards.
async function advance(client, repository, copy, by, created_at) {
  await copy.commit(`by ${by.pubkey}`);
  const state = repository.state(await copy.refs(), { by, created_at: created_at ?? now() });
  assert.deepEqual(await client.publish(state), [true, kInPurgatory]);
  await copy.git('push', '--quiet', repository.url, 'main');
  assert.equal((await remoteRefs(repository.url))['refs/heads/main'], await copy.git('rev-parse', 'main'));
  return state;
}
const nothing = (repository, by, created_at = now()) =>
  repository.state({ 'refs/heads/main': 'a'.repeat(40) }, { by, created_at });

describe('maintainers', () => {
  const host = sharedHost();

  it('follow each other in a chain, with announcements that list other servers', async () => {
    const { server, client } = host;
    const [second, third, stranger] = [new Author(), new Author(), new Author()];
    const repository = new Repository(server);
    const copy = await repository.publish(client);
    const guest = repository.announcement({ by: second, maintainers: [third], ...elsewhere });
    assert.equal((await client.publish(guest))[0], false);
    assert.deepEqual(await client.publish(nothing(repository, third)), kNotAuthorised);

    const named = repository.announcement({ maintainers: [second], created_at: now() + 1 });
    assert.deepEqual(await client.publish(named), [true, '']);
    // What had been refused for want of that is there by itself.
    await client.subscribe('guest', { ids: [guest.id] }).then(async ({ events }) => {
      if (events.length === 0) await client.next('EVENT', 'guest');
    });
    await advance(client, repository, copy, third, now() + 1);
    assert.deepEqual(await client.publish(nothing(repository, stranger)), kNotAuthorised);
    const unwanted = repository.announcement({ by: stranger, maintainers: [stranger], ...elsewhere });
    assert.equal((await client.publish(unwanted))[0], false);
  });

  it('may name each other in a circle', async () => {
    const { server, client } = host;
    const [second, third] = [new Author(), new Author()];
    const repository = new Repository(server);
    await client.publishInOrder([
      repository.announcement({ maintainers: [second] }),
      repository.announcement({ by: second, maintainers: [third] }),
      repository.announcement({ by: third, maintainers: [repository.owner] }),
    ]);
    const copy = await Checkout.create();
    const state = await advance(client, repository, copy, third);
    assert.equal(await isServed(client, state), true);
    // One push, and every repository it has authority over is served.
    for (const owner of [second, third]) {
      const hosted = new Repository(server, { owner });
      assert.deepEqual(await remoteRefs(hosted.url), await remoteRefs(repository.url));
    }
    assert.equal((await client.query({ kinds: [30617], '#d': ['project'], authors: [second.pubkey] })).length, 1);
  });

  it('who are removed have no say from that moment', async () => {
    const { server, client } = host; // acceptance.md §4.7
    const removed = new Author();
    const repository = new Repository(server);
    const first = repository.announcement({ maintainers: [removed] });
    await client.publishAll([first]);
    const copy = await Checkout.create();
    await advance(client, repository, copy, removed, now() - 1);
    await copy.commit('waits');
    const waiting = repository.state(await copy.refs(), { by: removed, created_at: now() });
    assert.deepEqual(await client.publish(waiting), [true, kInPurgatory]);

    const without = repository.announcement({ created_at: now() + 1 });
    assert.deepEqual(await client.publish(without), [true, '']);
    assert.deepEqual(await client.publish(nothing(repository, removed, now() + 1)), kNotAuthorised);
    assert.match(await copy.fails('push', repository.url, 'main'), /rejected|authori[sz]/); // acceptance.md §5.7
    // Nor does a copy of the older announcement give it back.
    assert.deepEqual(await client.publish(first), [true, 'duplicate: superseded by a newer event']);
    assert.deepEqual(await client.publish(nothing(repository, removed, now() + 2)), kNotAuthorised);
    await advance(client, repository, copy, repository.owner, now() + 1);
  });

  it('of one repository are nobody in another of the same name', async () => {
    const { server, client } = host; // acceptance.md §6.7
    const [one, two] = [new Repository(server), new Repository(server)];
    const maintainer = new Author();
    await client.publishAll([one.announcement({ maintainers: [maintainer] }), two.announcement()]);
    const copy = await Checkout.create();
    await advance(client, one, copy, maintainer);
    assert.deepEqual(await remoteRefs(two.url), {});
    assert.equal((await client.query({ kinds: [30617], authors: [two.owner.pubkey] })).length, 0);
    assert.match(await copy.fails('push', two.url, 'main'), /rejected|No state|authori[sz]/);
    // Naming the other's commit is no way to have it (git.md §7.2).
    const copied = two.state(await copy.refs(), { created_at: now() });
    assert.deepEqual(await client.publish(copied), [true, kInPurgatory]);
    assert.deepEqual(await remoteRefs(two.url), {});
    await two.publish(client, { state: { created_at: now() + 1 } });
    assert.notDeepEqual(await remoteRefs(two.url), await remoteRefs(one.url));
  });

  it('with roles must accept them', async () => {
    const { server, client } = host;
    const [second, moderator, former] = [new Author(), new Author(), new Author()];
    const repository = new Repository(server);
    const lead = ['M', repository.owner.pubkey];
    const roles = [lead, ['m', second.pubkey], ['o', moderator.pubkey], ['m', former.pubkey, '1', '2']];
    await client.publishAll([
      repository.announcement({ tags: roles, maintainers: [moderator] }), // ignored beside roles
    ]);
    const copy = await Checkout.create();
    await advance(client, repository, copy, repository.owner, now() - 1);
    for (const by of [second, moderator, former])
      assert.deepEqual(await client.publish(nothing(repository, by)), kNotAuthorised);

    const accepts = { by: second, tags: [lead, ['m', second.pubkey]], ...elsewhere };
    assert.deepEqual(await client.publish(repository.announcement(accepts)), [true, '']);
    await advance(client, repository, copy, second, now() + 1);
    const leaves = { by: second, tags: [lead, ['m', second.pubkey, '1', '2']], ...elsewhere };
    const left = repository.announcement({ ...leaves, created_at: now() + 1 });
    assert.deepEqual(await client.publish(left), [true, '']);
    assert.deepEqual(await client.publish(nothing(repository, second, now() + 2)), kNotAuthorised);
  });

  it('elsewhere are not served before the repository that wants them', async () => {
    const { server, client } = host; // acceptance.md §4.9
    const guest = new Author();
    const repository = new Repository(server);
    await client.publishAll([repository.announcement({ maintainers: [guest] })]);
    const announcement = repository.announcement({ by: guest, ...elsewhere });
    assert.deepEqual(await client.publish(announcement), [true, kInPurgatory]);
    assert.equal(await isServed(client, announcement), false);
    const reader = await server.connect();
    await reader.subscribe('guest', { ids: [announcement.id] });
    await advance(client, repository, await Checkout.create(), guest);
    await reader.next('EVENT', 'guest');
    reader.close();
  });

  it('who lead elsewhere are followed, and two leads are none', async () => {
    const { server, client } = host;
    const lead = new Author();
    const repository = new Repository(server);
    const follows = repository.announcement({ tags: [['M', lead.pubkey]] });
    await client.publishAll([follows]);
    assert.deepEqual(await client.publish(nothing(repository, repository.owner)), kNotAuthorised);
    const own = new Repository(server, { owner: lead });
    await client.publishAll([own.announcement({ tags: [['M', lead.pubkey]] })]);
    const copy = await Checkout.create();
    await advance(client, repository, copy, lead);
    assert.deepEqual(await remoteRefs(own.url), await remoteRefs(repository.url));

    const both = [['M', lead.pubkey], ['M', repository.owner.pubkey]];
    const unclear = repository.announcement({ tags: both, created_at: now() + 1 });
    assert.deepEqual(await client.publish(unclear), [true, '']);
    for (const by of [lead, repository.owner]) {
      await copy.commit('more');
      const state = repository.state(await copy.refs(), { by, created_at: now() + 2 });
      await client.publish(state);
      assert.match(await copy.fails('push', repository.url, 'main'), /more than one|authori[sz]|lead/);
    }
  });
});

describe('reciprocal maintainership', () => {
  const host = sharedHost({ NGIT_MAINTAINERSHIP: 'reciprocal' });

  it('wants the older tag to be answered too', async () => {
    const { server, client } = host;
    const [second, silent] = [new Author(), new Author()];
    const repository = new Repository(server);
    await client.publishAll([repository.announcement({ maintainers: [second, silent] })]);
    const copy = await Checkout.create();
    await advance(client, repository, copy, repository.owner, now() - 1);
    for (const by of [second, silent])
      assert.deepEqual(await client.publish(nothing(repository, by)), kNotAuthorised);
    const answer = repository.announcement({ by: second, maintainers: [repository.owner], ...elsewhere });
    assert.deepEqual(await client.publish(answer), [true, '']);
    await advance(client, repository, copy, second, now() + 1);
    assert.deepEqual(await client.publish(nothing(repository, silent)), kNotAuthorised);
  });
});
