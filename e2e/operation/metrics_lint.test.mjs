// The metrics of a busy server, as Prometheus' own tool judges them.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { after, before, describe, it } from 'node:test';
import { Author } from '../helpers/events.mjs';
import { until } from '../helpers/harness.mjs';
import { Checkout } from '../helpers/repository.mjs';
import { relayStatus, SharedRepository, syncServer } from '../helpers/sync_servers.mjs';

// Names of the reference that break a convention; the documentation lists them.
async function documentedExceptions() {
  const text = await readFile(new URL('../../docs/operation.md', import.meta.url), 'utf8');
  const [, list] = text.match(/<!-- promtool exceptions -->\n([\s\S]*?)\n\n/);
  return [...list.matchAll(/`(ngit_\w+)`/g)].map(([, name]) => name).sort();
}

describe('the metrics of a busy server', () => {
  let server, peer, repository;

  before(async () => {
    [server, peer] = await Promise.all([syncServer({ NGIT_GRASP06_ENABLE: 'true' }), syncServer()]);
    repository = new SharedRepository([server, peer]);
    await repository.publishOn();
    const client = await server.connect();
    await client.publishAll([repository.issue(new Author())]);
    await client.publish({ ...new Author().sign(), sig: '0'.repeat(128) });
    await client.query({ kinds: [1621] });
    await relayStatus(server, peer.url, ({ link }) => link === 'connected');
    await Checkout.clone(repository.url);
    client.close();
  });
  after(() => Promise.all([server?.stop(), peer?.stop()]));

  it('are what promtool expects, but for the documented exceptions', async () => {
    const { body } = await server.get('/metrics');
    const promtool = spawnSync('promtool', ['check', 'metrics'], { input: body, encoding: 'utf8' });
    assert.equal(promtool.error, undefined, 'promtool is missing: run scripts/setup');
    const complaints = `${promtool.stdout}${promtool.stderr}`.split('\n').filter(Boolean);
    const about = [...new Set(complaints.map((line) => line.split(' ')[0]))].sort();
    assert.deepEqual(about, await documentedExceptions(), complaints.join('\n'));
  });

  it('tell what the disk holds', async () => {
    assert.ok((await server.metric('ngit_database_bytes')) > 0);
    assert.ok((await server.metric('ngit_disk_free_bytes', { folder: 'git' })) > 0);
    const repo = `${repository.npub}/${repository.identifier}.git`;
    const size = async () => (await server.metric('ngit_git_top_repos_disk_bytes', { repo })) > 0;
    await until(size, 'the size of the repository');
    assert.ok((await server.metric('ngit_git_disk_bytes')) > 0);
  });
});

describe('the largest repositories', () => {
  it('are as many as NGIT_METRICS_TOP_N_REPOS says', async () => {
    const server = await syncServer({ NGIT_METRICS_TOP_N_REPOS: '2' });
    const client = await server.connect();
    for (const identifier of ['one', 'two', 'three']) {
      await new SharedRepository([server], { identifier }).publish(client);
    }
    client.close();
    const named = async () => {
      const { body } = await server.get('/metrics');
      return body.match(/^ngit_git_top_repos_disk_bytes\{.*$/gm)?.length ?? 0;
    };
    await until(async () => (await named()) === 2, 'two repositories');
    await server.stop();
  });
});
