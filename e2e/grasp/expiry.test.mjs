// Announcements, states and pull requests with an end (NIP-40): what git shows of them ends too.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { now } from '../helpers/events.mjs';
import { until } from '../helpers/harness.mjs';
import { kInPurgatory, remoteRefs, Repository, sharedHost } from '../helpers/repository.mjs';

const kAdvertisement = '/info/refs?service=git-upload-pack';
const status = async (repository) =>
  (await repository.server.get(repository.path + kAdvertisement, { raw: true })).status;
// Long enough to be published on a busy machine.
const soon = (seconds = 20) => [['expiration', String(now() + seconds)]];

describe('what expires', () => {
  const host = sharedHost();

  it('takes the repository, the right to push and the ref of the pull request with it', async () => {
    const { server, client } = host;
    const [ended, ruled, asked] = [1, 2, 3].map(() => new Repository(server));
    await ended.publish(client);
    const copy = await ruled.publish(client);
    const other = await asked.publish(client);

    const tip = await other.git('rev-parse', 'main');
    await copy.commit('more');
    const refs = await copy.refs();
    const state = ruled.state(refs, { tags: soon(18) });
    assert.deepEqual(await client.publish(state), [true, kInPurgatory]);
    const farewell = ended.announcement({ created_at: now() + 1, tags: soon() });
    const pull = asked.pullRequest(tip, { tags: soon() });
    for (const event of [farewell, pull])
      assert.deepEqual(await client.publish(event), [true, '']);
    const ref = `refs/nostr/${pull.id}`;

    await until(async () => (await status(ended)) === 404, 'the repository to go', 60_000);
    await until(async () => !(await remoteRefs(asked.url))[ref], 'the ref to go', 60_000);
    assert.deepEqual(await client.query({ ids: [farewell.id, pull.id] }), []);
    // The state went first: nothing authorises what it declared.
    await copy.fails('push', ruled.url, 'main');
    assert.equal(await status(ruled), 200);
    assert.equal(await status(asked), 200);
  });
});
