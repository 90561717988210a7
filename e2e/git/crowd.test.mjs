// Many at once, and more than there is space for.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { begin, commandList, kFlush, kNone, packet, post, unfinishedPack } from '../helpers/git_wire.mjs';
import { until } from '../helpers/harness.mjs';
import {
  Checkout,
  incoming,
  onDisk,
  processesOf,
  remoteRefs,
  Repository,
  sharedHost,
} from '../helpers/repository.mjs';

const kCrowd = 50;
const numbers = Array.from({ length: kCrowd }, (_, i) => i);

describe('fifty at once', () => {
  const host = sharedHost();

  it('push to one repository, and only the signed commit gets in', async () => {
    const repository = new Repository(host.server);
    const copy = await repository.publish(host.client);
    const commits = [];
    for (const i of numbers) commits.push(await copy.orphan(`candidate ${i}`));
    const wanted = commits[17];
    await repository.declare(host.client, { 'refs/heads/main': wanted });
    const pushOne = (commit) =>
      copy.git('push', '--quiet', '--force', repository.url, `${commit}:refs/heads/main`).then(
        () => true,
        () => false,
      );
    const tried = [...commits, wanted, wanted];
    const passed = await Promise.all(tried.map(pushOne));
    assert.deepEqual(
      passed,
      tried.map((commit) => commit === wanted),
    );
    assert.equal((await remoteRefs(repository.url)).HEAD, wanted);
    await (await onDisk(repository)).git('fsck', '--full', '--strict');
    assert.deepEqual(await incoming(host.server), []);
  });

  it('push to fifty repositories, and all get in', async () => {
    const copy = await Checkout.create();
    await copy.commit('for all');
    const repositories = numbers.map(() => new Repository(host.server));
    await host.client.publishAll(repositories.map((one) => one.announcement()));
    const refs = await copy.refs();
    await host.client.publishAll(repositories.map((one) => one.state(refs)));
    await Promise.all(repositories.map((one) => copy.git('push', '--quiet', one.url, 'main')));
    const authors = repositories.map((one) => one.owner.pubkey);
    const served = await host.client.query({ authors, kinds: [30617, 30618] });
    assert.equal(served.length, 2 * kCrowd);
  });

  it('clone while states and pushes go on, and each sees a whole repository', async () => {
    const repository = new Repository(host.server);
    const copy = await repository.publish(host.client);
    const movesOn = async () => {
      for (let i = 0; i < 6; ++i) {
        await copy.commit(`change ${i}`);
        await repository.declare(host.client, await copy.refs());
        await copy.git('push', '--quiet', repository.url, 'main');
      }
    };
    const reads = async () => {
      const clone = await Checkout.clone(repository.url);
      await clone.git('fsck', '--full', '--strict');
      await clone.remove();
    };
    await Promise.all([movesOn(), ...numbers.slice(0, 10).map(reads)]);
  });
});

// A push that has its git process and does not finish: more of its pack has come than is held.
async function occupy(repository, headers) {
  const { outgoing } = begin(repository, 'git-receive-pack', headers);
  const oid = () => randomBytes(20).toString('hex');
  outgoing.write(commandList([[kNone, oid(), `refs/nostr/${randomBytes(32).toString('hex')}`]]));
  outgoing.write(unfinishedPack(100_000));
  const { server } = repository;
  await until(async () => (await processesOf(server)).length > 0, 'its process');
  return outgoing;
}
const listRefs = (repository, headers = {}) =>
  post(repository, 'git-upload-pack', Buffer.concat([packet('command=ls-refs'), kFlush]), {
    'git-protocol': 'version=2',
    ...headers,
  });

describe('a server with one git process, and patience', () => {
  const host = sharedHost({ NGIT_MAX_GIT_PROCESSES: '1', NGIT_GIT_QUEUE_TIMEOUT_SECS: '30' });

  it('serves many, one after the other', async () => {
    const repository = new Repository(host.server);
    await repository.publish(host.client);
    await Promise.all(numbers.slice(0, 8).map(() => Checkout.clone(repository.url)));
  });

  it('lets the next in when the one before has gone away', async () => {
    const repository = new Repository(host.server);
    await repository.publish(host.client);
    const first = await occupy(repository);
    let answered = false;
    const next = listRefs(repository).then((answer) => {
      answered = true;
      return answer;
    });
    await host.server.get('/readyz');
    assert.equal(answered, false);
    first.destroy();
    assert.equal((await next).status, 200);
  });

  it('forgets those in the queue who have gone away', async () => {
    const repository = new Repository(host.server);
    await repository.publish(host.client);
    const first = await occupy(repository);
    const waiting = numbers.slice(0, 10).map(() => begin(repository, 'git-upload-pack').outgoing);
    waiting.forEach((one) => one.write(unfinishedPack(100_000)));
    await host.server.get('/readyz');
    [...waiting, first].forEach((one) => one.destroy());
    assert.equal((await listRefs(repository)).status, 200);
  });
});

describe('a server with one git process, in a hurry', () => {
  const host = sharedHost({ NGIT_MAX_GIT_PROCESSES: '1', NGIT_GIT_QUEUE_TIMEOUT_SECS: '1' });

  it('sends the next away, and says when to come back', async () => {
    const repository = new Repository(host.server);
    await repository.publish(host.client);
    const first = await occupy(repository);
    const answer = await listRefs(repository);
    assert.equal(answer.status, 503);
    assert.match(answer.headers['retry-after'], /^\d+$/);
    assert.equal(answer.headers['access-control-allow-origin'], '*');
    const clone = await Checkout.create();
    assert.match(await clone.fails('fetch', repository.url), /503/);
    first.destroy();
  });
});

describe('a server with one git process for each address', () => {
  const host = sharedHost({
    NGIT_MAX_GIT_PROCESSES_PER_IP: '1',
    NGIT_GIT_QUEUE_TIMEOUT_SECS: '1',
    NGIT_TRUSTED_PROXY_CIDRS: '127.0.0.0/8',
  });

  it('lets others in while one is busy', async () => {
    const repository = new Repository(host.server);
    await repository.publish(host.client);
    const first = await occupy(repository, { 'x-forwarded-for': '198.51.100.7' });
    const from = (address) => listRefs(repository, { 'x-forwarded-for': address });
    assert.equal((await from('198.51.100.8')).status, 200);
    assert.equal((await from('198.51.100.7')).status, 503);
    first.destroy();
  });
});
