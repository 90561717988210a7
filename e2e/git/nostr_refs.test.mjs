// refs/nostr/<event id>: the commits of pull requests, which anybody may push.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { Author, randomHex } from '../helpers/events.mjs';
import { removeDirectory, temporaryDirectory, until } from '../helpers/harness.mjs';
import {
  Checkout,
  graspServer,
  kInPurgatory,
  quarantined,
  remoteRefs,
  Repository,
  sharedHost,
} from '../helpers/repository.mjs';

const refOf = (event) => `refs/nostr/${event.id ?? event}`;

// A served repository, and a clone in which a stranger has made a commit.
async function withContribution(host, content = 'a contribution') {
  const repository = new Repository(host.server);
  await repository.publish(host.client);
  const copy = await Checkout.clone(repository.url);
  const commit = await copy.commit(content);
  return { repository, copy, commit };
}
const pushTo = (copy, repository, commit, event) =>
  copy.git('push', '--quiet', repository.url, `${commit}:${refOf(event)}`);

describe('the commit of a pull request', () => {
  const host = sharedHost();

  it('may come after its event, which is served then', async () => {
    const { repository, copy, commit } = await withContribution(host);
    const pull = repository.pullRequest(commit);
    assert.deepEqual(await host.client.publish(pull), [true, kInPurgatory]);
    assert.deepEqual(await host.client.query({ ids: [pull.id] }), []);
    await pushTo(copy, repository, commit, pull);
    assert.equal((await host.client.query({ ids: [pull.id] })).length, 1);
    assert.equal((await remoteRefs(repository.url))[refOf(pull)], commit);
  });

  it('may come before its event, and nobody sees it until then', async () => {
    const { repository, copy, commit } = await withContribution(host);
    const pull = repository.pullRequest(commit);
    await pushTo(copy, repository, commit, pull);
    assert.equal((await remoteRefs(repository.url))[refOf(pull)], undefined);
    const reader = await Checkout.create();
    assert.match(await reader.fails('fetch', repository.url, commit), /not our ref/);

    assert.deepEqual(await host.client.publish(pull), [true, '']);
    assert.equal((await remoteRefs(repository.url))[refOf(pull)], commit);
    await reader.git('fetch', '--quiet', repository.url, refOf(pull));
    assert.deepEqual(await quarantined(host.server), []);
  });

  it('is refused when the event names another', async () => {
    const { repository, copy, commit } = await withContribution(host);
    const other = await copy.orphan();
    const pull = repository.pullRequest(commit);
    await host.client.publishAll([pull]);
    const stderr = await copy.fails('push', repository.url, `${other}:${refOf(pull)}`);
    const reason = `PR event ${pull.id} specifies commit ${commit}, but push contains ${other}`;
    assert.ok(stderr.includes(`[remote rejected] ${other} -> ${refOf(pull)} (${reason})`), stderr);
  });

  it('goes when the event turns out to name another', async () => {
    const { repository, copy, commit } = await withContribution(host);
    const other = await copy.orphan();
    const pull = repository.pullRequest(commit);
    await pushTo(copy, repository, other, pull);
    assert.equal((await quarantined(host.server)).length, 1);
    assert.deepEqual(await host.client.publish(pull), [true, kInPurgatory]);
    await until(async () => (await quarantined(host.server)).length === 0, 'an empty quarantine');
    await pushTo(copy, repository, commit, pull);
    assert.equal((await remoteRefs(repository.url))[refOf(pull)], commit);
  });

  it('is there for each of the repositories it is about', async () => {
    const { repository, copy, commit } = await withContribution(host);
    const other = new Repository(host.server, { identifier: 'elsewhere' });
    await other.publish(host.client, { checkout: await Checkout.clone(repository.url) });
    const pull = repository.pullRequest(commit, { tags: [['a', other.address]] });
    for (const one of [repository, other]) await pushTo(copy, one, commit, pull);
    assert.deepEqual(await host.client.publish(pull), [true, '']);
    for (const one of [repository, other])
      assert.equal((await remoteRefs(one.url))[refOf(pull)], commit);
    assert.deepEqual(await quarantined(host.server), []);
  });

  it('is the right one of two that were pushed for one event', async () => {
    const { repository, copy, commit } = await withContribution(host);
    const other = await copy.orphan();
    const pull = repository.pullRequest(commit);
    await pushTo(copy, repository, commit, pull);
    await pushTo(copy, repository, other, pull);
    assert.deepEqual(await host.client.publish(pull), [true, '']);
    assert.equal((await remoteRefs(repository.url))[refOf(pull)], commit);
    assert.deepEqual(await quarantined(host.server), []);
    const reader = await Checkout.create();
    assert.match(await reader.fails('fetch', repository.url, other), /not our ref/);
  });

  it('needs no push when the repository has it already', async () => {
    const { repository } = await withContribution(host);
    const tip = (await remoteRefs(repository.url)).HEAD;
    const pull = repository.pullRequest(tip);
    assert.deepEqual(await host.client.publish(pull), [true, '']);
    assert.equal((await remoteRefs(repository.url))[refOf(pull)], tip);
  });

  it('may be updated by an event that follows', async () => {
    const { repository, copy, commit } = await withContribution(host);
    const author = new Author();
    const pull = repository.pullRequest(commit, { by: author });
    await host.client.publishAll([pull]);
    await pushTo(copy, repository, commit, pull);
    const better = await copy.commit('better');
    const tags = [
      ['E', pull.id],
      ['P', author.pubkey],
    ];
    const update = repository.pullRequest(better, { by: author, kind: 1619, tags });
    assert.deepEqual(await host.client.publish(update), [true, kInPurgatory]);
    await pushTo(copy, repository, better, update);
    assert.equal((await remoteRefs(repository.url))[refOf(update)], better);
    assert.equal((await remoteRefs(repository.url))[refOf(pull)], commit);
  });

  it('is no longer shown when its event is deleted', async () => {
    const { repository, copy, commit } = await withContribution(host);
    const author = new Author();
    const pull = repository.pullRequest(commit, { by: author });
    await host.client.publishAll([pull]);
    await pushTo(copy, repository, commit, pull);
    await host.client.publishAll([author.deletion([['e', pull.id]])]);
    const gone = async () => !(refOf(pull) in (await remoteRefs(repository.url)));
    await until(gone, 'the ref to go');
  });

  it('does not make an announcement served that waits for a state', async () => {
    const repository = new Repository(host.server);
    const announcement = repository.announcement();
    await host.client.publishAll([announcement]);
    const copy = await Checkout.create();
    const commit = await copy.commit();
    await pushTo(copy, repository, commit, randomHex(32));
    assert.deepEqual(await host.client.query({ ids: [announcement.id] }), []);
  });

  it('must be named by an event id', async () => {
    const { repository, copy, commit } = await withContribution(host);
    for (const name of ['abc', 'AB'.repeat(32), `${'ab'.repeat(32)}/x`, '\u3000'.repeat(5)]) {
      const stderr = await copy.fails('push', repository.url, `${commit}:refs/nostr/${name}`);
      assert.match(stderr, /\[remote rejected\] .* \((Invalid event ID format|not a valid ref)/);
    }
  });

  it('cannot be deleted by a push', async () => {
    const { repository, copy, commit } = await withContribution(host);
    const pull = repository.pullRequest(commit);
    await host.client.publishAll([pull]);
    await pushTo(copy, repository, commit, pull);
    const stderr = await copy.fails('push', repository.url, `:${refOf(pull)}`);
    assert.match(stderr, /\(refs\/nostr refs go when their event is deleted\)/);
  });

  it('may be pushed again without effect', async () => {
    const { repository, copy, commit } = await withContribution(host);
    const pull = repository.pullRequest(commit);
    await host.client.publishAll([pull]);
    await pushTo(copy, repository, commit, pull);
    await pushTo(copy, repository, commit, pull);
  });

  it('takes a large history', async () => {
    const { repository, copy } = await withContribution(host);
    const commit = await copy.commit('large', { blob: randomBytes(2 << 20) });
    const pull = repository.pullRequest(commit);
    await pushTo(copy, repository, commit, pull);
    assert.deepEqual(await host.client.publish(pull), [true, '']);
    const reader = await Checkout.create();
    await reader.git('fetch', '--quiet', repository.url, refOf(pull));
  });
});

describe('a commit whose event never comes', () => {
  const host = sharedHost({ NGIT_UNSIGNED_UPLOAD_EXPIRY_SECS: '2' });

  it('is removed when its time is over', async () => {
    const { repository, copy, commit } = await withContribution(host);
    await pushTo(copy, repository, commit, randomHex(32));
    assert.equal((await quarantined(host.server)).length, 1);
    await until(async () => (await quarantined(host.server)).length === 0, 'an empty quarantine');
  });
});

describe('a commit that waits for its event', () => {
  it('survives that the server is killed', async () => {
    const directory = await temporaryDirectory();
    const settings = { NGIT_DOMAIN: 'grasp.test' };
    const host = { server: await graspServer(settings, { directory }) };
    host.client = await host.server.connect();
    const { repository, copy, commit } = await withContribution(host);
    const pull = repository.pullRequest(commit);
    await pushTo(copy, repository, commit, pull);
    await host.server.kill();

    const server = await graspServer(settings, { directory });
    const again = new Repository(server, repository);
    const client = await server.connect();
    assert.deepEqual(await client.publish(pull), [true, '']);
    assert.equal((await remoteRefs(again.url))[refOf(pull)], commit);
    await server.stop();
    await removeDirectory(directory);
  });
});
