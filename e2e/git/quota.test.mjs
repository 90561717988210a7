// A quota is the owner's. Pull requests of strangers have a share of it, and make space when the owner
// needs it.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdir, stat, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, it } from 'node:test';
import { Author, now } from '../helpers/events.mjs';
import { until } from '../helpers/harness.mjs';
import { Checkout, onDisk, Repository, sharedHost } from '../helpers/repository.mjs';

const KiB = 1 << 10;
const kQuota = 2048 * KiB;

describe('with a quota of 2 MiB', () => {
  const host = sharedHost({
    NGIT_GIT_FETCH_ENABLED: 'false',
    NGIT_VERIFY_INTERVAL_SECS: '0',
    NGIT_MAX_REPOSITORY_BYTES: `${kQuota}`,
    NGIT_PULL_REQUEST_QUOTA_PERCENT: '25',
  });

  const grow = async (copy, bytes, name = `f${Math.random()}`) => {
    await writeFile(path.join(copy.directory, name), randomBytes(bytes));
    return copy.commit(`${bytes} bytes`, {});
  };
  const packs = (repository) => path.join(repository.directory, 'objects', 'pack');
  const sizes = async (repository) => {
    const names = await readdir(packs(repository));
    const sizeOf = (name) =>
      stat(path.join(packs(repository), name)).then(
        ({ size }) => size,
        () => 0, // it went meanwhile
      );
    return (await Promise.all(names.map(sizeOf))).reduce((sum, size) => sum + size, 0);
  };
  const pullRefs = async (repository) =>
    Object.keys(await (await onDisk(repository)).refs('refs/nostr'));
  // A pull request of `bytes` on top of main: its event, and what git said of the push.
  const offer = async (repository, bytes, { by = new Author(), at = now() - 100 } = {}) => {
    const clone = await Checkout.clone(repository.url);
    const commit = await grow(clone, bytes);
    const event = by.sign({
      kind: 1618,
      created_at: at,
      tags: [['a', repository.address], ['c', commit]],
    });
    await host.client.publish(event);
    const said = await clone.git('push', repository.url, `${commit}:refs/nostr/${event.id}`).then(
      () => 'taken',
      (error) => error.stderr,
    );
    return { event, said };
  };
  const pushMore = async (repository, copy, bytes) => {
    await grow(copy, bytes);
    await repository.declare(host.client, await copy.refs());
    return copy.git('push', '--quiet', repository.url, 'main').then(
      () => 'taken',
      (error) => error.stderr,
    );
  };

  it('strangers take their share and no more, whatever they do', async () => {
    const repository = new Repository(host.server);
    const copy = await repository.publish(host.client);
    assert.equal((await offer(repository, 300 * KiB)).said, 'taken');
    const { said } = await offer(repository, 300 * KiB);
    assert.match(said, /pull requests of contributors would take more than their share/);
    assert.equal((await offer(repository, 100 * KiB)).said, 'taken');
    // Those of the owner are of the owner's part.
    assert.equal((await offer(repository, 300 * KiB, { by: repository.owner })).said, 'taken');
    assert.equal(await pushMore(repository, copy, 900 * KiB), 'taken');
    assert.equal((await pullRefs(repository)).length, 3);
  });

  it('the owner has all of it: strangers make space, the oldest first', async () => {
    const repository = new Repository(host.server);
    const copy = await repository.publish(host.client);
    const old = await offer(repository, 200 * KiB, { at: now() - 1_000 });
    const young = await offer(repository, 200 * KiB, { at: now() - 100 });
    assert.deepEqual([old.said, young.said], ['taken', 'taken']);
    assert.equal(await pushMore(repository, copy, 1000 * KiB), 'taken');
    // Of what is young nobody knows whether its refs are still to be set.
    const anHourAgo = now() - 3_600;
    for (const name of await readdir(packs(repository)))
      await utimes(path.join(packs(repository), name), anHourAgo, anHourAgo);
    assert.equal(await pushMore(repository, copy, 800 * KiB), 'taken'); // 2200 KiB in all
    await until(async () => (await sizes(repository)) <= kQuota, 'space to be made');
    assert.deepEqual(await pullRefs(repository), [`refs/nostr/${young.event.id}`]);
    assert.equal((await host.client.query({ ids: [old.event.id] })).length, 1);
    await (await onDisk(repository)).git('fsck', '--full', '--strict');
    await host.server.logged(/is beyond its quota: 1 pull requests? by contributors lose/);

    assert.match(await pushMore(repository, copy, 400 * KiB), /beyond its quota of 2 MiB/);
  });

  it('a maintainer makes space by closing a pull request', async () => {
    const repository = new Repository(host.server);
    const copy = await repository.publish(host.client);
    const { event } = await offer(repository, 400 * KiB);
    await host.client.publishAll([
      repository.owner.sign({ kind: 1632, tags: [['e', event.id], ['a', repository.address]] }),
    ]);
    await until(async () => (await pullRefs(repository)).length === 0, 'its ref to go');
    assert.equal(await pushMore(repository, copy, 1500 * KiB), 'taken');
    assert.equal(await pushMore(repository, copy, 300 * KiB), 'taken'); // though it lies there still
  });
});
