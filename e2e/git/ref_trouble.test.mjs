// When git cannot write what a push was allowed to: a lock that is held, space that is taken.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdir, stat, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, it } from 'node:test';
import { begin, commandList, kNone, reportIn } from '../helpers/git_wire.mjs';
import { until } from '../helpers/harness.mjs';
import { Checkout, graspServer, remoteRefs, Repository, sharedHost } from '../helpers/repository.mjs';

const kPatience = 60_000;
const kMebibyte = 1 << 20;

describe('a ref that is locked', () => {
  it('is not said to be set, and is set when the lock is no longer held', async () => {
    const server = await graspServer();
    try {
      const client = await server.connect();
      const repository = new Repository(server);
      const copy = await repository.publish(client);
      const before = await remoteRefs(repository.url);
      const commit = await copy.commit();
      await copy.git('branch', 'second');
      const state = repository.state(await copy.refs());
      await client.publishAll([state]);
      const lock = path.join(repository.directory, 'refs', 'heads', 'main.lock');
      await writeFile(lock, '');
      const tomorrow = new Date(Date.now() + 86_400_000);
      await utimes(lock, tomorrow, tomorrow);

      const complaint = await copy.fails('push', repository.url, 'main', 'second');
      assert.equal(complaint.match(/the server could not set its refs, none of them/g)?.length, 2);
      assert.deepEqual(await remoteRefs(repository.url), before);
      assert.deepEqual(await client.query({ ids: [state.id] }), []);

      await utimes(lock, new Date(0), new Date(0));
      await until(
        async () => (await remoteRefs(repository.url))['refs/heads/second'] === commit,
        'the refs',
        kPatience,
      );
      assert.equal((await remoteRefs(repository.url)).HEAD, commit);
    } finally {
      await server.stop();
    }
  });
});

async function bytesBelow(folder) {
  let sum = 0;
  for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
    const at = path.join(folder, entry.name);
    const file = entry.isDirectory() ? null : await stat(at).catch(() => null);
    sum += entry.isDirectory() ? await bytesBelow(at) : (file?.size ?? 0);
  }
  return sum;
}

describe('uploads at the same time', () => {
  const host = sharedHost({
    NGIT_MAX_REPOSITORY_BYTES: String(3 * kMebibyte),
    NGIT_PULL_REQUEST_QUOTA_PERCENT: '100',
  });

  it('do not take more than the quota together', async () => {
    const repository = new Repository(host.server);
    await repository.publish(host.client);
    const upload = async () => {
      const copy = await Checkout.clone(repository.url);
      const commit = await copy.commit('noise', { noise: randomBytes(2 * kMebibyte) });
      const pack = await copy.pack(commit, '^origin/main');
      const ref = `refs/nostr/${randomBytes(32).toString('hex')}`;
      const body = Buffer.concat([commandList([[kNone, commit, ref]]), pack]);
      const { outgoing } = begin(repository, 'git-receive-pack');
      return { body, outgoing, response: once(outgoing, 'response') }; // in its own time
    };
    const report = async ({ response }) => {
      const chunks = [];
      for await (const chunk of (await response)[0]) chunks.push(chunk);
      return reportIn(Buffer.concat(chunks));
    };
    const [slow, quick] = [await upload(), await upload()];
    slow.outgoing.write(slow.body.subarray(0, 1.8 * kMebibyte));
    const folder = path.join(host.server.gitDirectory, '.graspd', 'incoming');
    await until(async () => (await bytesBelow(folder)) > 1.5 * kMebibyte, 'its pack', kPatience);
    quick.outgoing.end(quick.body);
    assert.match((await report(quick))[0], /^unpack no room for uploads/);
    slow.outgoing.end(slow.body.subarray(1.8 * kMebibyte));
    assert.equal((await report(slow))[0], 'unpack ok');
  });
});
