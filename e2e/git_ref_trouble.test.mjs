// When git cannot write what a push was allowed to: a lock that is held.
import assert from 'node:assert/strict';
import { utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, it } from 'node:test';
import { until } from './harness.mjs';
import { graspServer, remoteRefs, Repository } from './repository.mjs';

const kPatience = 60_000;

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
