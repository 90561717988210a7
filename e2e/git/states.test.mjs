// What signed states do to repositories, with and without a push.
import assert from 'node:assert/strict';
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { describe, it } from 'node:test';
import { Author } from '../helpers/events.mjs';
import { commandList, kNone, push } from '../helpers/git_wire.mjs';
import { request } from '../helpers/harness.mjs';
import { Checkout, kInPurgatory, remoteRefs, Repository, sharedHost } from '../helpers/repository.mjs';

const onMain = (oid) => ({ 'refs/heads/main': oid });

describe('a state whose objects are here already', () => {
  const host = sharedHost();
  // Two commits on main, one of them on dev as well.
  async function published() {
    const repository = new Repository(host.server);
    const copy = await Checkout.create();
    const first = await copy.commit('first');
    const second = await copy.commit('second');
    await copy.git('branch', 'dev', first);
    await copy.git('tag', 'v1', first);
    await repository.publish(host.client, { checkout: copy });
    return { repository, copy, first, second };
  }

  it('is applied without a push: refs come, move and go', async () => {
    const { repository, first, second } = await published();
    const refs = { ...onMain(first), 'refs/heads/new': second };
    const state = repository.state(refs);
    assert.deepEqual(await host.client.publish(state), [true, '']);
    assert.deepEqual(await remoteRefs(repository.url), { HEAD: first, ...refs });
    assert.equal((await host.client.query({ ids: [state.id] })).length, 1);
  });

  it('moves HEAD, in either spelling', async () => {
    const { repository, copy, first, second } = await published();
    const refs = await copy.refs();
    await repository.declare(host.client, refs, { head: 'refs/heads/dev' });
    const symbolic = () => copy.git('ls-remote', '--symref', repository.url, 'HEAD');
    assert.equal(await symbolic(), `ref: refs/heads/dev\tHEAD\n${first}\tHEAD`);
    const bare = [['HEAD', 'refs/heads/main']];
    await repository.declare(host.client, refs, { head: null, tags: bare });
    assert.equal(await symbolic(), `ref: refs/heads/main\tHEAD\n${second}\tHEAD`);
  });

  it('leaves HEAD alone when its branch is not declared', async () => {
    const { repository, copy } = await published();
    await repository.declare(host.client, await copy.refs(), { head: 'refs/heads/nowhere' });
    const symbolic = await copy.git('ls-remote', '--symref', repository.url, 'HEAD');
    assert.match(symbolic, /^ref: refs\/heads\/main\tHEAD/);
  });

  it('never leaves HEAD at a branch that is gone: clones would be empty', async () => {
    const { repository, copy, first } = await published();
    const symbolic = () => copy.git('ls-remote', '--symref', repository.url, 'HEAD');
    await repository.declare(host.client, { 'refs/heads/dev': first }, { head: null });
    assert.equal(await symbolic(), `ref: refs/heads/dev\tHEAD\n${first}\tHEAD`);
    const clone = await Checkout.clone(repository.url, '--depth', '1');
    assert.equal(await clone.git('rev-parse', 'HEAD'), first);
  });

  it('need not name HEAD', async () => {
    const repository = new Repository(host.server);
    const copy = await repository.publish(host.client, { state: { head: null } });
    const clone = await Checkout.clone(repository.url, '--depth', '1');
    assert.equal(await clone.git('rev-parse', 'HEAD'), await copy.git('rev-parse', 'main'));
  });

  it('waits when a branch of it is no commit', async () => {
    const { repository, copy, first } = await published();
    const before = await remoteRefs(repository.url);
    await copy.git('tag', '--annotate', '--message', 'a tag', 'v2');
    for (const what of [`${first}:file.txt`, `${first}^{tree}`, 'refs/tags/v2']) {
      const oid = await copy.git('rev-parse', what);
      const refs = { ...onMain(first), 'refs/heads/more': oid };
      assert.deepEqual(await repository.declare(host.client, refs), [true, kInPurgatory], what);
      const body = Buffer.concat([
        commandList([
          [before['refs/heads/main'], first, 'refs/heads/main'],
          [before['refs/heads/dev'], kNone, 'refs/heads/dev'],
          [before['refs/tags/v1'], kNone, 'refs/tags/v1'],
          [kNone, oid, 'refs/heads/more'],
        ]),
        await copy.pack(oid),
      ]);
      const report = await push(repository, body);
      assert.equal(report.at(-1), `ng refs/heads/more ${oid} is not a commit`, what);
      assert.deepEqual(await remoteRefs(repository.url), before);
    }
  });

  it('touches nothing when it declares no refs', async () => {
    const { repository } = await published();
    const before = await remoteRefs(repository.url);
    const [accepted] = await repository.declare(host.client, {}, { head: null });
    assert.equal(accepted, true);
    assert.deepEqual(await remoteRefs(repository.url), before);
  });

  it('waits when one of its objects is not here', async () => {
    const { repository, first } = await published();
    const before = await remoteRefs(repository.url);
    const refs = { ...onMain(first), 'refs/heads/more': 'ab'.repeat(20) };
    assert.deepEqual(await repository.declare(host.client, refs), [true, kInPurgatory]);
    assert.deepEqual(await remoteRefs(repository.url), before);
  });

  it('waits for ever when a value is no oid, and git never sees it', async () => {
    const { repository } = await published();
    const before = await remoteRefs(repository.url);
    for (const value of [
      'abc123',
      'HEAD',
      'main~1',
      '--output=/tmp/x',
      '+refs/heads/main:refs/x',
    ]) {
      const answer = await repository.declare(host.client, onMain(value));
      assert.deepEqual(answer, [true, kInPurgatory], value);
    }
    assert.deepEqual(await remoteRefs(repository.url), before);
  });
});

describe('a push that a state allows', () => {
  const host = sharedHost();

  it('has moved HEAD and refs, and released the state, when git returns', async () => {
    const repository = new Repository(host.server);
    const copy = await repository.publish(host.client);
    await copy.git('checkout', '--quiet', '-b', 'trunk');
    const tip = await copy.commit('on trunk');
    const refs = { 'refs/heads/trunk': tip };
    const state = repository.state(refs, { head: 'refs/heads/trunk' });
    await host.client.publish(state);
    await copy.git('push', '--quiet', repository.url, 'trunk', ':main');
    assert.deepEqual(await remoteRefs(repository.url), { HEAD: tip, ...refs });
    assert.equal((await host.client.query({ ids: [state.id] })).length, 1);
  });

  it('brings along what older states of others waited for', async () => {
    const repository = new Repository(host.server);
    const maintainer = new Author();
    const copy = await Checkout.create();
    await host.client.publishAll([repository.announcement({ maintainers: [maintainer] })]);
    const first = await copy.commit('first');
    const older = repository.state(onMain(first), { by: maintainer });
    const second = await copy.commit('second');
    await host.client.publishAll([older, repository.state(onMain(second))]);
    await copy.git('push', '--quiet', repository.url, 'main');
    assert.equal((await host.client.query({ ids: [older.id] })).length, 1);
    assert.equal((await remoteRefs(repository.url)).HEAD, second);
  });
});

describe('two owners of one identifier', () => {
  const host = sharedHost();
  const packsOf = async (repository) => {
    const folder = path.join(repository.directory, 'objects', 'pack');
    const names = (await readdir(folder)).filter((name) => name.endsWith('.pack'));
    return Promise.all(names.map((name) => stat(path.join(folder, name))));
  };
  async function pair(identifier) {
    const a = new Repository(host.server, { identifier });
    const b = new Repository(host.server, { identifier });
    await host.client.publishAll([
      a.announcement({ maintainers: [b.owner] }),
      b.announcement({ maintainers: [a.owner] }),
    ]);
    return [a, b];
  }

  it('who share maintainers are both up to date after one push, with one copy on disk', async () => {
    const [a, b] = await pair('shared');
    const copy = await Checkout.create();
    await copy.commit();
    await a.declare(host.client, await copy.refs());
    await copy.git('push', '--quiet', a.url, 'main');
    assert.deepEqual(await remoteRefs(b.url), await remoteRefs(a.url));
    const [[ofA], [ofB]] = [await packsOf(a), await packsOf(b)];
    assert.equal(ofA.ino, ofB.ino);
    assert.equal(ofA.nlink, 2);
    const announced = await host.client.query({ kinds: [30617], '#d': ['shared'] });
    assert.equal(announced.length, 2);
  });

  it('stay in step when the other pushes next', async () => {
    const [a, b] = await pair('in-turn');
    const copy = await Checkout.create();
    await copy.commit('first');
    await a.declare(host.client, await copy.refs());
    await copy.git('push', '--quiet', a.url, 'main');
    const next = await copy.commit('second');
    await a.declare(host.client, onMain(next), { by: b.owner });
    await copy.git('push', '--quiet', b.url, 'main');
    assert.equal((await remoteRefs(a.url)).HEAD, next);
    await Checkout.clone(a.url);
  });

  it('who have nothing to do with each other stay apart', async () => {
    const a = new Repository(host.server, { identifier: 'apart' });
    const b = new Repository(host.server, { identifier: 'apart' });
    const copyA = await a.publish(host.client);
    await host.client.publishAll([b.announcement()]);
    assert.deepEqual(await remoteRefs(b.url), {});
    const copyB = await Checkout.create();
    await copyB.commit('another');
    await b.declare(host.client, await copyB.refs());
    await copyB.git('push', '--quiet', b.url, 'main');
    assert.equal((await remoteRefs(a.url)).HEAD, await copyA.git('rev-parse', 'HEAD'));
    assert.equal((await remoteRefs(b.url)).HEAD, await copyB.git('rev-parse', 'HEAD'));
  });

  it('cannot get an object of the other served by naming it', async () => {
    const victim = new Repository(host.server, { identifier: 'wanted' });
    const thief = new Repository(host.server, { identifier: 'wanted' });
    const copy = await victim.publish(host.client);
    const secret = await copy.git('rev-parse', 'HEAD');
    await host.client.publishAll([thief.announcement()]);
    assert.deepEqual(await thief.declare(host.client, onMain(secret)), [true, kInPurgatory]);
    assert.deepEqual(await remoteRefs(thief.url), {});
    const complaint = await (await Checkout.create()).fails('fetch', thief.url, secret);
    assert.match(complaint, /not our ref/);
    const { body } = await request(`${thief.url}/info/refs?service=git-receive-pack`);
    assert.ok(!body.includes(secret), 'shown as .have');
  });

  it('cannot get an object of the other by a pull request that names it', async () => {
    const victim = new Repository(host.server, { identifier: 'private' });
    const thief = new Repository(host.server, { identifier: 'private' });
    const copy = await victim.publish(host.client);
    const secret = await copy.git('rev-parse', 'HEAD');
    const own = await thief.publish(host.client);
    const pull = thief.pullRequest(secret);
    assert.deepEqual(await host.client.publish(pull), [true, kInPurgatory]);
    await own.fails('fetch', thief.url, secret);
    assert.deepEqual(Object.keys(await remoteRefs(thief.url)), ['HEAD', 'refs/heads/main']);
  });
});

describe('a ref whose name no file can have', () => {
  const host = sharedHost();

  it('is refused as such, in a state and in a push', async () => {
    const repository = new Repository(host.server);
    const copy = await repository.publish(host.client);
    const commit = await copy.git('rev-parse', 'HEAD');
    const refs = (length) => ({ ...onMain(commit), [`refs/heads/${'a'.repeat(length)}`]: commit });
    for (const length of [251, 300]) {
      const [accepted, text] = await repository.declare(host.client, refs(length));
      assert.equal(accepted, false);
      assert.match(text, /^invalid: the ref name refs\/heads\/a+… has a part of \d+ bytes/);
      const name = `refs/heads/${'a'.repeat(length)}`;
      const [unpack] = await push(repository, commandList([[kNone, commit, name]]));
      assert.match(unpack, new RegExp(`has a part of ${length} bytes, and a file can hold 250`));
    }
    // The longest that can be is set.
    assert.deepEqual(await repository.declare(host.client, refs(250)), [true, '']);
    assert.equal((await remoteRefs(repository.url))[`refs/heads/${'a'.repeat(250)}`], commit);
  });
});
