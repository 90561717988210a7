// Anybody may send pull requests. Thousands for one repository cost as much each as the first, take
// no more than their share of its refs, and go when a maintainer says so.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { Author, now } from '../helpers/events.mjs';
import { until } from '../helpers/harness.mjs';
import { Checkout, kInPurgatory, onDisk, remoteRefs, Repository, sharedHost } from '../helpers/repository.mjs';

const kTick = 0.01; // of /proc/<pid>/stat

// Processor time of the server and of the git processes that have ended.
async function cpuSeconds(server) {
  const text = await readFile(`/proc/${server.child.pid}/stat`, 'latin1');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ').map(Number);
  return (fields[11] + fields[12] + fields[13] + fields[14]) * kTick;
}

const pullRefs = async (repository) => {
  const refs = await (await onDisk(repository)).refs('refs/nostr');
  return new Set(Object.keys(refs).map((ref) => ref.slice('refs/nostr/'.length)));
};
const status = (repository, pull, kind, { by, at = now() }) =>
  by.sign({
    kind,
    created_at: at,
    tags: [
      ['e', pull.id, '', 'root'],
      ['a', repository.address],
      ['p', pull.pubkey],
    ],
  });

describe('pull requests that name a commit which is there', () => {
  const host = sharedHost({ NGIT_GIT_FETCH_ENABLED: 'false', NGIT_VERIFY_INTERVAL_SECS: '0' });

  it('cost the same each, however many there are', async () => {
    const repository = new Repository(host.server);
    const copy = await repository.publish(host.client);
    const commit = await copy.git('rev-parse', 'main');
    const authors = Array.from({ length: 20 }, () => new Author());
    const kBlock = 400;
    const spend = async (block) => {
      const events = Array.from({ length: kBlock }, (_, i) =>
        repository.pullRequest(commit, { by: authors[i % 20], tags: [['n', `${block} ${i}`]] }),
      );
      const before = await cpuSeconds(host.server);
      await host.client.publishAll(events);
      return (await cpuSeconds(host.server)) - before;
    };
    const spent = [];
    for (let block = 0; block < 5; ++block) spent.push(await spend(block));
    assert.equal((await pullRefs(repository)).size, 5 * kBlock);
    // Each look at all refs, or at all that wait, would make the last cost several times the first.
    assert.ok(spent.at(-1) < 3 * Math.max(spent[0], 0.2), `it took ${spent} seconds`);
  });

  it('do not keep the owner waiting who publishes a state', async () => {
    const repository = new Repository(host.server);
    const copy = await repository.publish(host.client);
    const commit = await copy.git('rev-parse', 'main');
    const kCrowd = 3_000;
    const authors = Array.from({ length: 20 }, () => new Author());
    const events = Array.from({ length: kCrowd }, (_, i) =>
      repository.pullRequest(commit, { by: authors[i % 20], tags: [['n', `${i}`]] }),
    );
    await copy.commit();
    const next = { 'refs/heads/next': commit };
    const strangers = await host.server.connect();
    let answered = 0;
    let begin;
    const begun = new Promise((resolve) => (begin = resolve));
    const crowd = events.map(async (event) => {
      const [accepted, text] = await strangers.publish(event, 120_000);
      assert.deepEqual([accepted, text], [true, '']);
      answered += 1;
      begin();
    });
    await begun;
    // A state whose data is there, one whose data is not, and the push of it.
    const here = { 'refs/heads/main': commit, ...next };
    assert.deepEqual(await repository.declare(host.client, here), [true, '']);
    const newer = { ...(await copy.refs()), ...next };
    assert.deepEqual(await repository.declare(host.client, newer), [true, kInPurgatory]);
    assert.ok(answered < kCrowd / 2, `${answered} pull requests were answered before the states`);
    await copy.git('push', '--quiet', repository.url, 'main');
    await Promise.all(crowd);
    assert.equal((await pullRefs(repository)).size, kCrowd);
    assert.equal((await remoteRefs(repository.url)).HEAD, await copy.git('rev-parse', 'main'));
    strangers.close();
  });

  it('of several repositories of the same people appear in all of them', async () => {
    const lead = new Repository(host.server, { identifier: 'both' });
    const friend = new Repository(host.server, { identifier: 'both' });
    const copy = await lead.publish(host.client);
    const together = { maintainers: [lead.owner, friend.owner] };
    await host.client.publishAll([lead.announcement(together), friend.announcement(together)]);
    const commit = await copy.git('rev-parse', 'main');
    await until(async () => (await remoteRefs(friend.url)).HEAD === commit, 'the copy');
    const events = Array.from({ length: 40 }, () => lead.pullRequest(commit));
    await host.client.publishAll(events);
    const expected = new Set(events.map((event) => event.id));
    assert.deepEqual(await pullRefs(lead), expected);
    // Nobody waits for the copies in other people's repositories: they follow.
    await until(async () => (await pullRefs(friend)).size === expected.size, 'the copies');
    assert.deepEqual(await pullRefs(friend), expected);
  });
});

describe('refs of pull requests', () => {
  const kMax = 32;
  const host = sharedHost({
    NGIT_GIT_FETCH_ENABLED: 'false',
    NGIT_MAX_PULL_REQUEST_REFS: `${kMax}`,
  });
  let repository, copy, commit;
  const begin = async () => {
    repository = new Repository(host.server);
    copy = await repository.publish(host.client);
    commit = await copy.git('rev-parse', 'main');
  };
  const pull = (at, by = new Author(), tags = []) =>
    by.sign({
      kind: 1618,
      created_at: at,
      tags: [['a', repository.address], ['p', repository.owner.pubkey], ['c', commit], ...tags],
    });

  it('of strangers are bounded: the oldest go, those of maintainers never', async () => {
    await begin();
    const start = now() - 1_000;
    const own = pull(start - 10, repository.owner);
    const merged = pull(start - 5);
    await host.client.publishAll([own, merged]);
    await host.client.publishAll([status(repository, merged, 1631, { by: repository.owner })]);
    const events = Array.from({ length: kMax + 10 }, (_, i) => pull(start + i));
    await host.client.publishInOrder(events);
    const left = await pullRefs(repository);
    assert.ok(left.has(own.id) && left.has(merged.id));
    assert.ok(left.size <= kMax + 1 && left.size > kMax / 2, `${left.size} are left`);
    const gone = events.filter((event) => !left.has(event.id));
    assert.deepEqual(gone, events.slice(0, gone.length));
    const stored = await host.client.query({ ids: events.map((event) => event.id), limit: 500 });
    assert.equal(stored.length, events.length); // the events stay
    await host.server.logged(/the oldest \d+ are dropped \(NGIT_MAX_PULL_REQUEST_REFS\)/);

    // What went stays away, and an update of it is a newer one.
    const complaint = await copy.fails('push', repository.url, `main:refs/nostr/${gone[0].id}`);
    assert.match(complaint, /newer pull requests have taken the place of this one/);
    const update = new Author().sign({
      kind: 1619,
      tags: [['a', repository.address], ['E', gone[0].id], ['c', commit]],
    });
    await host.client.publishAll([update]);
    assert.ok((await pullRefs(repository)).has(update.id));
    assert.ok(!(await pullRefs(repository)).has(gone[0].id));
  });

  it('go when a maintainer closes the pull request, and come back when one opens it', async () => {
    await begin();
    const events = [pull(now() - 20), pull(now() - 20)];
    const update = new Author().sign({
      kind: 1619,
      tags: [['a', repository.address], ['E', events[0].id], ['c', commit]],
    });
    await host.client.publishAll([...events, update]);
    assert.equal((await pullRefs(repository)).size, 3);
    await host.client.publishAll([
      status(repository, events[0], 1632, { by: new Author(), at: now() - 10 }),
      status(repository, events[0], 1632, { by: repository.owner, at: now() - 9 }),
    ]);
    const only = async (...ids) => {
      const left = await pullRefs(repository);
      return left.size === ids.length && ids.every((id) => left.has(id));
    };
    await until(() => only(events[1].id), 'the refs to go');
    assert.equal((await host.client.query({ ids: [events[0].id, update.id] })).length, 2);
    const complaint = await copy.fails('push', repository.url, `main:refs/nostr/${events[0].id}`);
    assert.match(complaint, /a maintainer has closed this pull request/);
    await host.client.publishAll([
      status(repository, events[0], 1630, { by: repository.owner, at: now() - 8 }),
    ]);
    await until(() => only(events[0].id, events[1].id, update.id), 'the refs to come back');
    const clone = await Checkout.clone(repository.url);
    await clone.git('fetch', '--quiet', 'origin', `refs/nostr/${events[0].id}`);
  });
});
