// Reading repositories, as the real git does it.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { before, describe, it } from 'node:test';
import { Checkout, remoteRefs, Repository, sharedHost } from '../helpers/repository.mjs';

const onMain = (oid) => ({ 'refs/heads/main': oid });
const missingIn = async (copy) => {
  const lines = await copy.git('rev-list', '--objects', '--all', '--missing=print');
  return lines.split('\n').filter((line) => line.startsWith('?')).length;
};

describe('a repository without data', () => {
  const host = sharedHost();
  let repository;
  before(async () => {
    repository = new Repository(host.server);
    await host.client.publishAll([repository.announcement()]);
  });

  it('can be cloned, and its branch is master whatever the client would call it', async () => {
    const clone = new Checkout((await Checkout.create()).directory);
    await clone.git('-c', 'init.defaultBranch=trunk', 'clone', '-q', repository.url, 'empty');
    const head = await clone.git('-C', 'empty', 'symbolic-ref', 'HEAD');
    assert.equal(head, 'refs/heads/master');
  });

  for (const options of [['--depth', '1'], ['--filter=blob:none'], ['--filter=tree:0']]) {
    it(`can be cloned with ${options.join(' ')}`, async () => {
      await Checkout.clone(repository.url, ...options);
    });
  }
  for (const version of [0, 1, 2]) {
    it(`can be cloned and listed in protocol version ${version}`, async () => {
      const clone = await Checkout.create();
      await clone.git('config', 'protocol.version', String(version));
      assert.equal(await clone.git('ls-remote', repository.url), '');
      await clone.git('fetch', repository.url, 'refs/heads/*:refs/remotes/all/*');
      await clone.git('-c', `protocol.version=${version}`, 'clone', '-q', repository.url, 'x');
    });
  }

  it('can be fetched from with a filter', async () => {
    const copy = await Checkout.create();
    await copy.git('remote', 'add', 'origin', repository.url);
    await copy.git('fetch', '--filter=tree:0', 'origin');
  });
});

describe('a repository without data, where the operator likes main', () => {
  const host = sharedHost({ NGIT_UNBORN_BRANCH: 'main' });

  it('has the branch main', async () => {
    const repository = new Repository(host.server);
    await host.client.publishAll([repository.announcement()]);
    const clone = await Checkout.clone(repository.url);
    assert.equal(await clone.git('symbolic-ref', 'HEAD'), 'refs/heads/main');
  });
});

describe('a repository with data', () => {
  const host = sharedHost();
  let repository, copy;
  before(async () => {
    repository = new Repository(host.server);
    copy = await Checkout.create();
    for (const name of ['one', 'two', 'three']) await copy.commit(name, { [`${name}.txt`]: name });
    await copy.git('branch', 'side', 'HEAD~1');
    await copy.git('tag', '-a', '-m', 'a release', 'v1');
    await repository.publish(host.client, { checkout: copy });
  });

  for (const version of [0, 1, 2]) {
    it(`is cloned whole in protocol version ${version}`, async () => {
      const clone = await Checkout.create();
      clone.environment = { GIT_TRACE_PACKET: '1' };
      const settings = ['-c', `protocol.version=${version}`];
      await clone.git(...settings, 'clone', '-q', repository.url, 'x');
      const spoken = clone.stderr.match(/< version (\d)/)?.[1] ?? '0';
      assert.equal(spoken, String(version));
      const inside = new Checkout(`${clone.directory}/x`);
      assert.deepEqual(await inside.refs('refs/tags'), await copy.refs('refs/tags'));
      assert.equal(await inside.git('rev-parse', 'HEAD'), await copy.git('rev-parse', 'HEAD'));
      await inside.git('fsck', '--full', '--strict');
    });
  }

  it('is cloned with a slash at the end of its URL', async () => {
    const clone = await Checkout.clone(`${repository.url}/`);
    assert.equal(await clone.git('rev-parse', 'HEAD'), await copy.git('rev-parse', 'HEAD'));
  });

  it('shows what annotated tags point to', async () => {
    const refs = await remoteRefs(repository.url);
    assert.equal(refs['refs/tags/v1'], await copy.git('rev-parse', 'v1'));
    assert.equal(refs['refs/tags/v1^{}'], await copy.git('rev-parse', 'v1^{commit}'));
    const symbolic = await copy.git('ls-remote', '--symref', repository.url, 'HEAD');
    assert.match(symbolic, /^ref: refs\/heads\/main\tHEAD$/m);
  });

  it('is cloned to a depth, and deepened later', async () => {
    const clone = await Checkout.clone(repository.url, '--depth', '1');
    assert.equal(await clone.git('rev-list', '--count', 'HEAD'), '1');
    await clone.git('fetch', '--quiet', '--deepen', '1');
    assert.equal(await clone.git('rev-list', '--count', 'HEAD'), '2');
    await clone.git('fetch', '--quiet', '--unshallow');
    assert.equal(await clone.git('rev-list', '--count', 'HEAD'), '3');
  });

  it('is cloned without blobs, which come when they are looked at', async () => {
    const clone = await Checkout.clone(repository.url, '--filter=blob:none', '--no-checkout');
    assert.equal(await missingIn(clone), 3);
    assert.equal(await clone.git('show', 'HEAD:two.txt'), 'two');
    assert.equal(await missingIn(clone), 2);
  });

  it('is cloned without trees', async () => {
    const clone = await Checkout.clone(repository.url, '--filter=tree:0', '--no-checkout');
    assert.equal(await missingIn(clone), 3);
    await clone.git('checkout', '--quiet', 'main');
    assert.equal(await clone.git('show', 'HEAD:three.txt'), 'three');
  });

  for (const [what, revision] of [
    ['a commit that is no tip', 'main~2'],
    ['a blob', 'main:one.txt'],
    ['a tree', 'main^{tree}'],
  ]) {
    for (const version of [0, 2]) {
      it(`gives ${what} by its oid in protocol version ${version}`, async () => {
        const oid = await copy.git('rev-parse', revision);
        const reader = await Checkout.create();
        const settings = ['-c', `protocol.version=${version}`, '-c', 'fetch.fsckObjects=true'];
        await reader.git(...settings, 'fetch', '--quiet', '--depth', '1', repository.url, oid);
        assert.notEqual(await reader.git('cat-file', '-t', oid), '');
      });
    }
  }

  it('says so when an oid is not there', async () => {
    const reader = await Checkout.create();
    const complaint = await reader.fails('fetch', repository.url, 'ab'.repeat(20));
    assert.match(complaint, /not our ref ababab/);
  });

  it('still gives a commit that was forced away', async () => {
    const other = new Repository(host.server);
    const writer = await other.publish(host.client);
    const old = await writer.git('rev-parse', 'HEAD');
    const fresh = await writer.orphan();
    await other.declare(host.client, onMain(fresh));
    await writer.git('push', '--quiet', '--force', other.url, `${fresh}:refs/heads/main`);
    const reader = await Checkout.create();
    await reader.git('fetch', '--quiet', other.url, old);
  });
});

describe('a repository with many refs', () => {
  const host = sharedHost();

  it('is fetched by a client that has gone another way, with compressed requests', async () => {
    const repository = new Repository(host.server);
    const copy = await Checkout.create();
    const root = await copy.commit('root', { salt: randomBytes(16).toString('hex') });
    const stream = Array.from(
      { length: 500 },
      (_, i) =>
        `commit refs/heads/b/${i}\ncommitter C <c@example.com> ${1700000000 + i} +0000\n` +
        `data ${String(i).length}\n${i}\nfrom ${root}\nM 100644 inline f${i}\ndata 1\nx\n`,
    );
    await copy.feed(stream.join(''), 'fast-import', '--quiet');
    await repository.publish(host.client, { checkout: copy });

    const clone = await Checkout.clone(repository.url);
    assert.equal(Object.keys(await clone.refs('refs/remotes')).length, 502); // with origin/HEAD
    const own = Array.from(
      { length: 200 },
      (_, i) =>
        `commit refs/heads/own\ncommitter C <c@example.com> ${1800000000 + i} +0000\n` +
        `data 3\nown\n${i === 0 ? `from ${root}\n` : ''}M 100644 inline own\ndata 3\n${100 + i}\n`,
    );
    await clone.feed(own.join(''), 'fast-import', '--quiet');

    await copy.git(
      'branch',
      'for0',
      await copy.git('commit-tree', '-m', '0', '-p', 'b/7', 'b/7^{tree}'),
    );
    await copy.git(
      'branch',
      'for2',
      await copy.git('commit-tree', '-m', '2', '-p', 'b/8', 'b/8^{tree}'),
    );
    await repository.declare(host.client, await copy.refs());
    await copy.git('push', '--quiet', repository.url, 'for0', 'for2');
    clone.environment = { GIT_TRACE_CURL: '1', GIT_TRACE_CURL_NO_DATA: '1' };
    for (const version of [0, 2]) {
      const branch = `for${version}`;
      await clone.git('-c', `protocol.version=${version}`, 'fetch', repository.url, branch);
      assert.match(clone.stderr, /header: Content-Encoding: gzip/);
      assert.equal(await clone.git('rev-parse', 'FETCH_HEAD'), await copy.git('rev-parse', branch));
    }
  });
});
