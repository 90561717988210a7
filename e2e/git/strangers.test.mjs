// Anybody may announce a repository of the same name and say that somebody else maintains it: that
// costs nothing. Nobody may have to wait for such repositories.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, open, rm } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { until } from '../helpers/harness.mjs';
import { Checkout, kInPurgatory, remoteRefs, Repository, sharedHost } from '../helpers/repository.mjs';

const kStrangers = 60;
const kPatience = 120_000; // of tests that wait for many copies
const execute = promisify(execFile);

// Whoever looks into this repository on the server's disk stops there until it is let go.
class Snare {
  static async set(repository) {
    const folder = path.join(repository.directory, 'objects', 'info');
    await mkdir(repository.directory, { recursive: true });
    await execute('git', ['init', '--quiet', '--bare', '--template=', repository.directory]);
    await mkdir(folder, { recursive: true });
    const snare = new Snare();
    snare.path = path.join(folder, 'alternates');
    await execute('mkfifo', [snare.path]);
    return snare;
  }
  async letGo() {
    const writer = await open(this.path, 'r+').catch(() => null);
    await rm(this.path, { force: true });
    await writer?.close();
  }
}

describe('sixty strangers who point at one repository', () => {
  const host = sharedHost({ NGIT_GIT_FETCH_ENABLED: 'false', NGIT_VERIFY_INTERVAL_SECS: '0' });
  let victim, copy, strangers;
  const snares = [];

  const pointAt = (owner) => {
    const claimed = new Repository(host.server, { identifier: owner.identifier });
    claimed.claim = claimed.announcement({ maintainers: [owner.owner] });
    return claimed;
  };
  const head = async (repository) => (await remoteRefs(repository.url)).HEAD;
  const moveOn = async (repository, checkout) => {
    const commit = await checkout.commit();
    await repository.declare(host.client, await checkout.refs());
    await checkout.git('push', '--quiet', repository.url, 'main');
    assert.equal(await head(repository), commit);
    return commit;
  };

  before(async () => {
    victim = new Repository(host.server, { identifier: 'popular' });
    copy = await victim.publish(host.client);
    strangers = Array.from({ length: kStrangers }, () => pointAt(victim));
    await host.client.publishAll(strangers.map((one) => one.claim));
    for (const one of strangers) snares.push(await Snare.set(one));
  });
  after(async () => {
    for (const snare of snares) await snare.letGo();
  });

  it('do not hold up its owner', async () => {
    await moveOn(victim, copy);
    await moveOn(victim, copy);
  });

  it('do not hold up a co-maintainer with a repository of the same name', async () => {
    const friend = new Repository(host.server, { identifier: victim.identifier });
    const together = { maintainers: [victim.owner, friend.owner] };
    await host.client.publishAll([victim.announcement(together), friend.announcement(together)]);
    const commit = await copy.commit();
    await victim.declare(host.client, await copy.refs(), { by: friend.owner });
    await copy.git('push', '--quiet', victim.url, 'main');
    assert.equal(await head(victim), commit);
    assert.equal(await head(friend), commit);
  });

  it('do not hold up a pull request', async () => {
    const clone = await Checkout.clone(victim.url);
    const commit = await clone.commit('proposal');
    const pull = victim.pullRequest(commit);
    const ref = `refs/nostr/${pull.id}`;
    assert.deepEqual(await host.client.publish(pull), [true, kInPurgatory]);
    await clone.git('push', '--quiet', victim.url, `${commit}:${ref}`);
    assert.equal((await remoteRefs(victim.url))[ref], commit);
    assert.equal((await host.client.query({ ids: [pull.id] })).length, 1);
  });

  it('do not hold up the next stranger, nor one who pushes to his own repository', async () => {
    const late = pointAt(victim);
    await host.client.publishAll([late.claim]);
    const own = new Repository(host.server, { identifier: victim.identifier });
    await own.publish(host.client);
  });

  it('do not hold up anybody else', async () => {
    await Promise.all(
      Array.from({ length: 20 }, async (_, i) => {
        const other = new Repository(host.server, { identifier: `other-${i}` });
        await other.publish(host.client);
      }),
    );
  });

  it('get what is signed for them as well, when there is time', async () => {
    for (const snare of snares) await snare.letGo();
    const newest = await head(victim);
    for (const one of [strangers.at(0), strangers.at(-1)])
      await until(async () => (await head(one)) === newest, 'the newest state', kPatience);
  });
});
