// An announcement costs its author nothing, so it costs the server no folder: git sees an empty
// repository until the first data comes. How many may wait is bounded.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readdir } from 'node:fs/promises';
import path from 'node:path';
import { after, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { kDelimiter, kFlush, packet, packets, post } from '../helpers/git_wire.mjs';
import { removeDirectory, request, until } from '../helpers/harness.mjs';
import {
  Checkout,
  graspServer,
  kInPurgatory,
  remoteRefs,
  Repository,
  sharedHost,
} from '../helpers/repository.mjs';

const execute = promisify(execFile);
const kServices = ['git-upload-pack', 'git-receive-pack'];

async function waiting(host, options) {
  const repository = new Repository(host.server, options);
  const [accepted, text] = await host.client.publish(repository.announcement());
  assert.deepEqual([accepted, text], [true, kInPurgatory]);
  return repository;
}
const advertised = async (repository, service, protocol) => {
  const headers = protocol ? { 'git-protocol': `version=${protocol}` } : {};
  const answer = await request(`${repository.url}/info/refs?service=${service}`, { headers });
  assert.equal(answer.status, 200);
  return answer.body.toString();
};

describe('a repository that is announced', () => {
  const host = sharedHost({ NGIT_GIT_FETCH_ENABLED: 'false' });

  it('has no folder, and neither has its owner', async () => {
    const before = await readdir(host.server.gitDirectory, { recursive: true });
    const repository = await waiting(host);
    await remoteRefs(repository.url);
    await Checkout.clone(repository.url);
    assert.ok(!existsSync(path.dirname(repository.directory)));
    assert.deepEqual(await readdir(host.server.gitDirectory, { recursive: true }), before);
  });

  it('is advertised as git advertises an empty one, in every version', async () => {
    const repository = await waiting(host);
    for (const service of kServices)
      for (const version of [0, 1, 2]) {
        const lines = packets(Buffer.from(await advertised(repository, service, version)));
        const refs = lines.filter((line) => line && /^[0-9a-f]{40} refs/.test(line));
        assert.deepEqual(refs, []);
        const text = lines.join('');
        if (version === 2 && service === 'git-upload-pack') assert.match(text, /ls-refs=unborn/);
        else assert.match(text, /^.*0{40} capabilities\^\{\}\0/s);
      }
  });

  it('answers ls-refs with the branch that is not born yet, and clones onto it', async () => {
    const repository = await waiting(host);
    const body = Buffer.concat([
      packet('command=ls-refs\n'),
      kDelimiter,
      packet('symrefs\n'),
      packet('unborn\n'),
      kFlush,
    ]);
    const answer = await post(repository, 'git-upload-pack', body, { 'git-protocol': 'version=2' });
    assert.equal(answer.status, 200);
    assert.match(answer.body.toString(), /unborn HEAD symref-target:refs\/heads\/master/);
    const copy = await Checkout.clone(repository.url);
    assert.equal(await copy.git('symbolic-ref', 'HEAD'), 'refs/heads/master');
  });

  it('has a folder from its first push on', async () => {
    const repository = await waiting(host);
    const copy = await Checkout.create();
    const commit = await copy.commit();
    await repository.declare(host.client, await copy.refs());
    assert.ok(!existsSync(repository.directory));
    await copy.git('push', '--quiet', repository.url, 'main');
    assert.ok(existsSync(path.join(repository.directory, 'HEAD')));
    assert.equal((await remoteRefs(repository.url)).HEAD, commit);
  });

  it('has none for a push that is refused, or that nobody signed', async () => {
    const repository = await waiting(host);
    const copy = await Checkout.create();
    await copy.commit();
    assert.match(await copy.fails('push', repository.url, 'main'), /No state event/);
    await copy.git('push', '--quiet', repository.url, `main:refs/nostr/${'ab'.repeat(32)}`);
    assert.ok(!existsSync(repository.directory));
  });

  it('gets its data from a maintainer whose repository is here already', async () => {
    const lead = new Repository(host.server);
    const friend = new Repository(host.server, { identifier: lead.identifier });
    const copy = await lead.publish(host.client);
    const together = { maintainers: [lead.owner, friend.owner] };
    await host.client.publishAll([lead.announcement(together), friend.announcement(together)]);
    const commit = await copy.git('rev-parse', 'main');
    await until(async () => (await remoteRefs(friend.url)).HEAD === commit, 'the copy');
    assert.ok(existsSync(friend.directory));
  });
});

describe('a folder that an earlier version made for an announcement', () => {
  let server, directory;
  after(async () => {
    await server?.stop();
    if (directory) await removeDirectory(directory);
  });

  it('goes when nothing is in it, and stays otherwise', async () => {
    server = await graspServer();
    server.owned = false;
    ({ directory } = server);
    const client = await server.connect();
    const [empty, filled] = [new Repository(server), new Repository(server)];
    await client.publishAll([empty.announcement(), filled.announcement()]);
    await server.stop();
    for (const one of [empty, filled]) {
      await mkdir(one.directory, { recursive: true });
      await execute('git', ['init', '--quiet', '--bare', '--template=', one.directory]);
    }
    const bystander = new Checkout(filled.directory);
    await bystander.feed('something', 'hash-object', '-w', '--stdin');
    const { port } = server;
    server = await graspServer({ NGIT_DOMAIN: `127.0.0.1:${port}` }, { directory });
    await until(() => !existsSync(empty.directory), 'the empty one to go');
    assert.ok(existsSync(filled.directory));
    for (const one of [empty, filled]) {
      const info = `${server.origin}${one.path}/info/refs?service=git-upload-pack`;
      assert.equal((await request(info)).status, 200);
    }
  });
});

describe('announcements that wait', () => {
  const host = sharedHost({
    NGIT_GIT_FETCH_ENABLED: 'false',
    NGIT_TRUSTED_PROXY_CIDRS: '127.0.0.0/8,::1',
    NGIT_MAX_WAITING_ANNOUNCEMENTS_PER_IP: '3',
    NGIT_MAX_WAITING_ANNOUNCEMENTS: '5',
  });
  const from = (address) => host.server.connect({ headers: { 'x-forwarded-for': address } });
  const announce = async (client) => {
    const repository = new Repository(host.server);
    return [repository, await client.publish(repository.announcement())];
  };
  const isOpen = async (repository) =>
    (await request(`${repository.url}/info/refs?service=git-upload-pack`)).status === 200;

  it('are bounded per address, with words', async () => {
    const client = await from('192.0.2.1');
    const taken = [];
    for (let i = 0; i < 3; ++i) {
      const [repository, answer] = await announce(client);
      assert.deepEqual(answer, [true, kInPurgatory]);
      taken.push(repository);
    }
    const [, [accepted, text]] = await announce(client);
    assert.equal(accepted, false);
    assert.equal(
      text,
      'rate-limited: 3 announcements from your address wait for git data here, and no more may; ' +
        'push to their repositories first',
    );
    const copy = await Checkout.create();
    await copy.commit();
    await client.publishAll([taken[0].state(await copy.refs())]);
    await copy.git('push', '--quiet', taken[0].url, 'main');
    assert.equal((await announce(client))[1][0], true); // one of them waits no longer
  });

  it('are bounded in all, at the cost of the address that has most', async () => {
    const [other, third] = [await from('192.0.2.2'), await from('192.0.2.3')];
    const [mine] = await announce(other);
    const [yours, answer] = await announce(third);
    assert.equal(answer[0], true);
    const [again, second] = await announce(third); // the sixth that waits
    assert.equal(second[0], true);
    for (const repository of [mine, yours, again]) assert.ok(await isOpen(repository));
    const [, [accepted, text]] = await announce(third);
    assert.equal(accepted, false);
    assert.match(text, /^rate-limited: 5 announcements wait for git data here, and no more may/);
  });
});
