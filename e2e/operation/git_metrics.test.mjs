// What the git host counts (ngit_git_*), after it was used.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Checkout, graspServer, Repository } from '../helpers/repository.mjs';

describe('the numbers of the git host', () => {
  let server, repository;
  before(async () => {
    server = await graspServer();
    const client = await server.connect();
    repository = new Repository(server);
    const copy = await repository.publish(client);
    await copy.git('checkout', '--quiet', '-b', 'undeclared');
    await copy.fails('push', '--quiet', repository.url, 'undeclared');
    const clone = await Checkout.clone(repository.url);
    await Promise.all([copy.remove(), clone.remove()]);
    await client.publish(new Repository(server, { identifier: 'waiting' }).announcement());
  });
  after(async () => server.stop());

  it('count operations with their outcome and duration', async () => {
    const operation = (labels) => server.metric('ngit_git_operations_total', labels);
    assert.ok((await operation({ operation: 'push', status: 'success' })) > 0);
    assert.ok((await operation({ operation: 'clone', status: 'success' })) > 0);
    assert.ok((await server.metric('ngit_git_operation_duration_seconds_count', { operation: 'push' })) > 0);
  });

  it('count pushes that were allowed and denied', async () => {
    const pushes = (result) => server.metric('ngit_git_push_authorization_total', { result });
    assert.equal(await pushes('allowed'), 1);
    assert.equal(await pushes('denied'), 1);
  });

  it('count bytes both ways, and per repository', async () => {
    assert.ok((await server.metric('ngit_git_bytes_total', { direction: 'in' })) > 0);
    assert.ok((await server.metric('ngit_git_bytes_total', { direction: 'out' })) > 0);
    const repo = `${repository.npub}/project.git`;
    assert.ok((await server.metric('ngit_git_top_repos_bytes', { repo })) > 0);
  });

  it('tell how many repositories are served and how many events wait', async () => {
    assert.equal(await server.metric('ngit_repositories_total'), 1);
    assert.equal(await server.metric('ngit_purgatory_events'), 1);
    assert.equal(await server.metric('ngit_git_processes'), 0);
  });
});
