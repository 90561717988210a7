// Deleting: what is out of service at once, what goes later, and whom it does not concern.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { describe, it } from 'node:test';
import { Author, now } from '../helpers/events.mjs';
import { until } from '../helpers/harness.mjs';
import { Checkout, kInPurgatory, remoteRefs, Repository, sharedHost } from '../helpers/repository.mjs';

const kAdvertisement = '/info/refs?service=git-upload-pack';
const status = async (repository) =>
  (await repository.server.get(repository.path + kAdvertisement, { raw: true })).status;
const isServed = async (client, event) => (await client.query({ ids: [event.id] })).length === 1;
const announcementOf = async (client, { owner }) =>
  (await client.query({ kinds: [30617], authors: [owner.pubkey] }))[0];
const soon = { created_at: now() + 60 };
const kDeleted = [false, 'blocked: this event is deleted'];

describe('a deletion', () => {
  const host = sharedHost({ NGIT_DELETED_REPOSITORY_GRACE_SECS: '1' });

  it('of the announcement ends the service at once, and the data soon', async () => {
    const { server, client } = host;
    const repositories = [new Repository(server), new Repository(server)];
    const announcements = [];
    for (const repository of repositories) {
      await repository.publish(client);
      announcements.push(await announcementOf(client, repository));
    }
    const [byAddress, byId] = repositories;
    const requests = [
      byAddress.owner.deletion([['a', byAddress.address]]),
      byId.owner.deletion([['e', announcements[1].id]]),
    ];
    for (const [i, repository] of repositories.entries()) {
      assert.deepEqual(await client.publish(requests[i]), [true, '']);
      assert.equal(await status(repository), 404);
      assert.equal(await isServed(client, announcements[i]), false);
      assert.equal(await isServed(client, requests[i]), true);
      assert.deepEqual(await client.publish(announcements[i]), kDeleted);
    }
    for (const { directory } of repositories)
      await until(() => !existsSync(directory), 'the data to go', 20_000);
  });

  it('of a repository ends the threads that hung on it alone', async () => {
    const { server, client } = host;
    const [gone, other] = [new Repository(server), new Repository(server)];
    await gone.publish(client);
    await other.publish(client);
    const by = new Author();
    const sign = (kind, tags) => by.sign({ kind, tags });
    const issue = sign(1621, [['a', gone.address]]);
    const comment = sign(1111, [['E', issue.id], ['e', issue.id]]);
    const shared = sign(1621, [['a', gone.address], ['a', other.address]]);
    const reply = sign(1111, [['E', shared.id]]);
    await client.publishInOrder([issue, comment, shared, reply]);
    await client.publishAll([gone.owner.deletion([['a', gone.address]], soon)]);
    const left = async () => (await client.query({ authors: [by.pubkey] })).map(({ id }) => id);
    await until(async () => (await left()).length === 2, 'the threads to end', 30_000);
    assert.deepEqual((await left()).sort(), [shared.id, reply.id].sort());
    assert.equal((await client.publish(issue))[0], false);
  });

  it('of what waits refuses the push it would have allowed', async () => {
    const { server, client } = host;
    for (const targets of [
      (repository, state) => [['e', state.id]],
      (repository) => [['a', `30618:${repository.owner.pubkey}:project`]],
    ]) {
      const repository = new Repository(server);
      const copy = await Checkout.create();
      await copy.commit();
      const state = repository.state(await copy.refs());
      await client.publishInOrder([repository.announcement(), state]);
      await client.publishAll([repository.owner.deletion(targets(repository, state))]);
      await copy.fails('push', repository.url, 'main');
      assert.deepEqual(await client.publish(state), kDeleted);
      assert.equal(await status(repository), 200);
      await client.publishAll([repository.owner.deletion([['a', repository.address]], soon)]);
      assert.equal(await status(repository), 404);
    }
  });

  it('of a pull request takes its ref', async () => {
    const { server, client } = host;
    const repository = new Repository(server);
    const copy = await repository.publish(client);
    const by = new Author();
    const pull = repository.pullRequest(await copy.git('rev-parse', 'main'), { by });
    assert.deepEqual(await client.publish(pull), [true, '']);
    const ref = `refs/nostr/${pull.id}`;
    assert.ok((await remoteRefs(repository.url))[ref]);
    const foreign = by.deletion([['e', pull.id], ['e', (await announcementOf(client, repository)).id]]);
    assert.deepEqual(await client.publish(foreign), [
      false,
      'invalid: cannot delete event authored by another pubkey',
    ]);
    assert.ok((await remoteRefs(repository.url))[ref]);
    assert.deepEqual(await client.publish(by.deletion([['e', pull.id]])), [true, '']);
    await until(async () => !(await remoteRefs(repository.url))[ref], 'the ref to go');
    assert.equal(await isServed(client, pull), false);
  });

  it('by somebody else does nothing', async () => {
    const { server, client } = host; // acceptance.md §11.3
    const [victim, namesake] = [new Repository(server), new Repository(server)];
    const copy = await victim.publish(client);
    const announcement = await announcementOf(client, victim);
    await copy.commit('more');
    const waiting = victim.state(await copy.refs(), { created_at: now() });
    await client.publishAll([waiting, namesake.announcement()]);
    const attacker = namesake.owner;
    for (const tags of [
      [['a', victim.address]],
      [['a', `30618:${attacker.pubkey}:project`]],
      [['e', waiting.id]],
      [['a', namesake.address]],
    ]) {
      assert.deepEqual(await client.publish(attacker.deletion(tags, soon)), [true, '']);
    }
    assert.equal((await client.publish(attacker.deletion([['e', announcement.id]])))[0], false);
    assert.equal(await isServed(client, announcement), true);
    await copy.git('push', '--quiet', victim.url, 'main');
    assert.equal(await isServed(client, waiting), true);
  });

  it('with thousands of targets is refused', async () => {
    const tags = Array.from({ length: 2049 }, () => ['e', 'f'.repeat(64)]);
    assert.deepEqual(await host.client.publish(new Author().deletion(tags)), [
      false,
      'invalid: too many deletion targets',
    ]);
  });

  it('of everything (NIP-62) takes the author, and nobody else', async () => {
    const { server, client } = host;
    const owner = new Author();
    const [one, two] = [new Repository(server, { owner }), new Repository(server)];
    await one.publish(client);
    await two.publish(client);
    const other = new Repository(server, { owner, identifier: 'waits' });
    await client.publishAll([other.announcement()]);
    const announcement = await announcementOf(client, one);
    await client.publishAll([owner.sign({ kind: 62, tags: [['relay', 'wss://x.example']] })]);
    assert.equal(await status(one), 200);
    await client.publishAll([owner.sign({ kind: 62, tags: [['relay', server.url]] })]);
    assert.equal(await status(one), 404);
    assert.equal(await status(other), 404);
    assert.equal(await status(two), 200);
    assert.deepEqual((await client.query({ authors: [owner.pubkey] })).map((e) => e.kind), [62]);
    assert.deepEqual(await client.publish(announcement), [
      false,
      'blocked: the author asked to vanish',
    ]);
    // What the author writes afterwards is welcome.
    const later = one.announcement({ created_at: now() + 10 });
    assert.deepEqual(await client.publish(later), [true, kInPurgatory]);
  });
});

describe('a deletion that is regretted', () => {
  const host = sharedHost({ NGIT_DELETED_REPOSITORY_GRACE_SECS: '600' });

  it('is undone by a new announcement, with nothing pushed again', async () => {
    const { server, client } = host; // acceptance.md §11.4
    const repository = new Repository(server);
    const copy = await repository.publish(client);
    await client.publishAll([repository.owner.deletion([['a', repository.address]])]);
    assert.equal(await status(repository), 404);
    assert.ok(existsSync(repository.directory));
    const again = repository.announcement({ created_at: now() + 1 });
    assert.deepEqual(await client.publish(again), [true, '']);
    assert.equal(await isServed(client, again), true);
    const main = (await remoteRefs(repository.url))['refs/heads/main'];
    assert.equal(main, await copy.git('rev-parse', 'main'));
  });

  it('is undone with all that hung on the repository', async () => {
    const { server, client } = host;
    const repository = new Repository(server, { identifier: 'regretted' });
    const copy = await repository.publish(client);
    const by = new Author();
    const issue = by.sign({ kind: 1621, tags: [['a', repository.address]] });
    const comment = by.sign({ kind: 1111, tags: [['E', issue.id]] });
    await client.publishInOrder([issue, comment]);
    const [state] = await client.query({ kinds: [30618], authors: [repository.owner.pubkey] });
    const hung = [issue, comment, state];
    await client.publishAll([repository.owner.deletion([['a', repository.address]])]);
    for (const event of hung)
      await until(async () => !(await isServed(client, event)), `the end of kind ${event.kind}`);
    const again = repository.announcement({ created_at: now() + 1 });
    assert.deepEqual(await client.publish(again), [true, '']);
    for (const event of hung)
      await until(() => isServed(client, event), `the return of kind ${event.kind}`);
    const main = (await remoteRefs(repository.url))['refs/heads/main'];
    assert.equal(main, await copy.git('rev-parse', 'main'));
  });

  it('of the newest announcement by its id brings the one before it back', async () => {
    const { server, client } = host;
    const repository = new Repository(server);
    await repository.publish(client);
    const older = await announcementOf(client, repository);
    const { created_at } = older;
    const newer = repository.announcement({ created_at: created_at + 2, tags: [['t', 'newer']] });
    const replayed = repository.announcement({ created_at: created_at + 1 });
    assert.deepEqual(await client.publish(newer), [true, '']);
    assert.equal(await isServed(client, older), false);
    const request = repository.owner.deletion([['e', newer.id]], soon);
    assert.deepEqual(await client.publish(request), [true, '']);
    assert.equal(await status(repository), 200);
    assert.equal(await isServed(client, older), true);
    assert.equal(await isServed(client, newer), false);
    assert.deepEqual(await client.publish(newer), kDeleted);
    // Nobody else chooses what comes back (acceptance.md §12.1).
    const answer = await client.publish(replayed);
    assert.deepEqual(answer, [true, 'duplicate: superseded by a newer event']);
  });

  it('of the newest state by its id takes the refs back to the one before it', async () => {
    const { server, client } = host;
    const [repository, namesake] = [new Repository(server), new Repository(server)];
    const copy = await repository.publish(client);
    const elsewhere = await namesake.publish(client);
    const first = await copy.git('rev-parse', 'main');
    const before = (await client.query({ kinds: [30618], authors: [repository.owner.pubkey] }))[0];
    await copy.commit('regretted');
    const regretted = repository.state(await copy.refs());
    await client.publishAll([regretted]);
    await copy.git('push', '--quiet', repository.url, 'main');
    assert.equal(await isServed(client, before), false);
    await client.publishAll([repository.owner.deletion([['e', regretted.id]], soon)]);
    assert.equal(await isServed(client, before), true);
    const isBack = async () => (await remoteRefs(repository.url))['refs/heads/main'] === first;
    await until(isBack, 'the refs to go back', 30_000);
    await copy.fails('push', repository.url, 'main');
    const others = (await remoteRefs(namesake.url))['refs/heads/main']; // acceptance.md §11.3
    assert.equal(others, await elsewhere.git('rev-parse', 'main'));
  });
});
