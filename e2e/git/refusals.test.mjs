// Pushes that are refused, and what the person at the keyboard reads.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { commandList, push } from '../helpers/git_wire.mjs';
import { Checkout, incoming, remoteRefs, Repository, sharedHost } from '../helpers/repository.mjs';

const onMain = (oid) => ({ 'refs/heads/main': oid });

// The reasons in brackets: { main: 'why' }, by the name on the remote side.
function rejections(stderr) {
  const lines = stderr.matchAll(/! \[remote rejected\] .*?(\S+) \((.*)\)$/gm);
  return Object.fromEntries([...lines].map(([, ref, reason]) => [ref, reason]));
}

describe('a push is refused', () => {
  const host = sharedHost();
  // A repository with a state that is served, and a second commit that nobody has signed.
  async function served() {
    const repository = new Repository(host.server);
    const copy = await repository.publish(host.client);
    const before = await remoteRefs(repository.url);
    const unsigned = await copy.commit('not signed');
    return { repository, copy, before, unsigned };
  }
  async function refused(repository, copy, ...refspecs) {
    const stderr = await copy.fails('push', repository.url, ...refspecs);
    assert.doesNotMatch(stderr, /RPC failed|hung up|bad band|unpack failed/);
    return rejections(stderr);
  }

  it('when there is no state', async () => {
    const repository = new Repository(host.server);
    await host.client.publishAll([repository.announcement()]);
    const copy = await Checkout.create();
    await copy.commit();
    assert.deepEqual(await refused(repository, copy, 'main'), {
      main: "No state event found: publish the repository's state (kind 30618) before you push",
    });
    assert.deepEqual(await remoteRefs(repository.url), {});
  });

  it('when the state is of somebody without authority', async () => {
    const repository = new Repository(host.server);
    await host.client.publishAll([repository.announcement()]);
    const copy = await Checkout.create();
    await copy.commit();
    const stranger = new Repository(host.server).owner;
    const [accepted] = await repository.declare(host.client, await copy.refs(), { by: stranger });
    assert.equal(accepted, false);
    assert.match((await refused(repository, copy, 'main')).main, /^No state event/);
  });

  it('when the state declares another commit', async () => {
    const { repository, copy, before, unsigned } = await served();
    assert.deepEqual(await refused(repository, copy, 'main'), {
      main: `refs/heads/main would be at ${unsigned} but the state declares ${before.HEAD}`,
    });
    assert.deepEqual(await remoteRefs(repository.url), before);
  });

  it('when the state does not declare the branch', async () => {
    const { repository, copy, before } = await served();
    assert.deepEqual(await refused(repository, copy, `${before.HEAD}:refs/heads/other`), {
      other: `refs/heads/other would exist at ${before.HEAD} but the state does not declare it`,
    });
  });

  it('when the state does not declare the tag', async () => {
    const { repository, copy, before } = await served();
    assert.deepEqual(await refused(repository, copy, `${before.HEAD}:refs/tags/v9`), {
      v9: `refs/tags/v9 would exist at ${before.HEAD} but the state does not declare it`,
    });
  });

  it('when it leaves out a ref that the state declares', async () => {
    const { repository, copy, unsigned } = await served();
    await repository.declare(host.client, { ...onMain(unsigned), 'refs/heads/dev': unsigned });
    assert.deepEqual(await refused(repository, copy, 'main'), {
      main: `the push is refused as a whole: refs/heads/dev missing (the state declares ${unsigned})`,
    });
  });

  it('when it deletes what the state declares', async () => {
    const { repository, copy } = await served();
    assert.deepEqual(await refused(repository, copy, ':main'), {
      main: 'Cannot delete ref still declared in state: refs/heads/main',
    });
  });

  it('when it is a branch of a pull request, with a hint', async () => {
    const { repository, copy, unsigned } = await served();
    assert.deepEqual(await refused(repository, copy, 'main:pr/fix'), {
      'pr/fix':
        `refs/heads/pr/fix would exist at ${unsigned} but the state does not declare it; ` +
        'pr/ branches are sent over nostr as refs/nostr/<event-id>',
    });
  });

  it('for other namespaces', async () => {
    const { repository, copy } = await served();
    assert.deepEqual(await refused(repository, copy, 'main:refs/notes/commits'), {
      'refs/notes/commits':
        'refs/notes/commits cannot be pushed: only refs/heads/, refs/tags/ and refs/nostr/ can',
    });
  });

  it('as a whole: an allowed ref does not pass beside a forbidden one', async () => {
    const { repository, copy, before, unsigned } = await served();
    await repository.declare(host.client, onMain(unsigned));
    const reasons = await refused(repository, copy, 'main', 'main:extra');
    assert.match(reasons.extra, /the state does not declare it$/);
    assert.match(reasons.main, /^the push is refused as a whole: refs\/heads\/extra would exist/);
    assert.deepEqual(await remoteRefs(repository.url), before);
  });

  it('when an older state allowed it, but not the newest', async () => {
    const { repository, copy, before, unsigned } = await served();
    const older = repository.state(onMain(unsigned));
    await repository.declare(host.client, onMain('ab'.repeat(20)));
    await host.client.publish(older);
    assert.match((await refused(repository, copy, 'main')).main, /the state declares abab/);
    assert.deepEqual(await remoteRefs(repository.url), before);
  });

  it('when the state that allowed it was deleted', async () => {
    const { repository, copy, before, unsigned } = await served();
    const state = repository.state(onMain(unsigned));
    await host.client.publishAll([state, repository.owner.deletion([['e', state.id]])]);
    assert.match((await refused(repository, copy, 'main')).main, /the state declares/);
    assert.deepEqual(await remoteRefs(repository.url), before);
  });

  it('even when it is large: the client may finish its sentence', async () => {
    const { repository, copy } = await served();
    await copy.commit('big', { large: randomBytes(4 << 20) });
    assert.match((await refused(repository, copy, 'main')).main, /but the state declares/);
    assert.deepEqual(await incoming(host.server), []);
  });

  it('with a reason for each of very many refs', async () => {
    const { repository, copy, unsigned } = await served();
    const many = Array.from({ length: 1500 }, (_, i) => [`refs/heads/m/${i}`, unsigned]);
    await copy.updateRefs(Object.fromEntries(many));
    const reasons = await refused(repository, copy, 'refs/heads/m/*');
    assert.equal(Object.keys(reasons).length, 1500);
  });

  it('when nothing is hosted at the address', async () => {
    const copy = await Checkout.create();
    await copy.commit();
    const nowhere = new Repository(host.server);
    const complaint = await copy.fails('push', nowhere.url, 'main');
    assert.match(complaint, /fatal: repository '.*' not found/);
  });

  it('when an object is malformed', async () => {
    const { repository, copy } = await served();
    const commit = `tree ${await copy.git('rev-parse', 'HEAD^{tree}')}\n\nno author\n`;
    const bad = await copy.feed(
      commit,
      'hash-object',
      '-w',
      '--literally',
      '-t',
      'commit',
      '--stdin',
    );
    const oid = bad.toString().trim();
    await repository.declare(host.client, onMain(oid));
    const stderr = await copy.fails('push', '--force', repository.url, `${oid}:refs/heads/main`);
    assert.match(rejections(stderr).main, /missingAuthor/);
    assert.deepEqual(await incoming(host.server), []);
  });

  it('when a tree would escape its folder', async () => {
    const { repository, copy } = await served();
    const blob = (await copy.feed('x', 'hash-object', '-w', '--stdin')).toString().trim();
    const entry = Buffer.concat([Buffer.from('100644 .git\0'), Buffer.from(blob, 'hex')]);
    const tree = await copy.feed(
      entry,
      'hash-object',
      '-w',
      '--literally',
      '-t',
      'tree',
      '--stdin',
    );
    const oid = await copy.git('commit-tree', '-m', 'bad', tree.toString().trim());
    await repository.declare(host.client, onMain(oid));
    const stderr = await copy.fails('push', '--force', repository.url, `${oid}:refs/heads/main`);
    assert.match(rejections(stderr).main, /hasDotgit/);
  });

  it('when objects are missing from the pack', async () => {
    const { repository, copy, before } = await served();
    const tip = await copy.commit('with a tree', { deep: 'content' });
    await repository.declare(host.client, onMain(tip));
    const lonely = await copy.feed(`${tip}\n`, 'pack-objects', '--stdout', '-q');
    const commands = commandList([[before.HEAD, tip, 'refs/heads/main']]);
    const answer = await push(repository, Buffer.concat([commands, lonely]));
    assert.match(answer[0], /^unpack (?!ok)/);
    assert.match(answer[1], /^ng refs\/heads\/main .*(did not receive expected object|missing)/);
    assert.deepEqual(await remoteRefs(repository.url), before);
  });

  it('when the pack is not the one that was promised', async () => {
    const { repository, copy, before, unsigned } = await served();
    await repository.declare(host.client, onMain(unsigned));
    const other = await copy.pack(await copy.orphan());
    const commands = commandList([[before.HEAD, unsigned, 'refs/heads/main']]);
    const answer = await push(repository, Buffer.concat([commands, other]));
    assert.match(answer[1], /^ng refs\/heads\/main /);
    assert.deepEqual(await remoteRefs(repository.url), before);
  });
});

// A push of `size` random bytes that a state allows.
async function pushBytes(host, size, repository = new Repository(host.server)) {
  const copy = await Checkout.create();
  await host.client.publishAll([repository.announcement()]);
  await copy.commit('some bytes', { data: randomBytes(size) });
  await repository.declare(host.client, await copy.refs());
  const push = (...options) => copy.fails('push', '--force', ...options, repository.url, 'main');
  return { repository, copy, push };
}

describe('a pack above NGIT_MAX_PACK_BYTES', () => {
  const host = sharedHost({ NGIT_MAX_PACK_BYTES: String(1 << 20) });

  for (const size of [(1 << 20) + 5000, 8 << 20]) {
    it(`is refused (${size} bytes)`, async () => {
      const { repository, push } = await pushBytes(host, size);
      const stderr = await push();
      assert.match(rejections(stderr).main, /pack exceeds maximum allowed size/);
      assert.deepEqual(await remoteRefs(repository.url), {});
      assert.deepEqual(await incoming(host.server), []);
    });
  }
  it('and the next one below it passes', async () => {
    const { repository, copy } = await pushBytes(host, 1 << 19);
    await copy.git('push', '--quiet', repository.url, 'main');
  });
});

describe('a repository at its NGIT_MAX_REPOSITORY_BYTES', () => {
  const host = sharedHost({ NGIT_MAX_REPOSITORY_BYTES: String(2 << 20) });

  it('takes no pack that would lead beyond', async () => {
    const { repository, push } = await pushBytes(host, 3 << 20);
    const reason = 'the push would take this repository beyond its quota of 2 MiB';
    assert.equal(rejections(await push()).main, reason);
    assert.deepEqual(await remoteRefs(repository.url), {});
  });

  it('refuses pushes before anything is sent', async () => {
    const { repository, copy } = await pushBytes(host, (2 << 20) - 1900);
    await copy.git('push', '--quiet', repository.url, 'main');
    await copy.commit('more');
    await repository.declare(host.client, await copy.refs());
    const stderr = await copy.fails('push', repository.url, 'main');
    assert.match(stderr, /remote error: this repository has reached its quota of 2 MiB/);
    await Checkout.clone(repository.url);
  });
});
