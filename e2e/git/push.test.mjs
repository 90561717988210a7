// Pushes that are allowed, as the real git makes them.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { describe, it } from 'node:test';
import { commandList, kNone, push } from '../helpers/git_wire.mjs';
import { loseDirectory } from '../helpers/harness.mjs';
import {
  Checkout,
  kInPurgatory,
  onDisk,
  remoteRefs,
  Repository,
  sharedHost,
} from '../helpers/repository.mjs';

async function emptyDirectory(directory) {
  for (const name of await readdir(directory)) await rm(path.join(directory, name));
}
const onMain = (oid) => ({ 'refs/heads/main': oid });

describe('pushing', () => {
  const host = sharedHost();

  it('goes from announcement to served repository', async () => {
    const { server, client } = host;
    const repository = new Repository(server);
    const announcement = repository.announcement();
    assert.deepEqual(await client.publish(announcement), [true, kInPurgatory]);
    assert.deepEqual(await client.query({ ids: [announcement.id] }), []);

    const copy = await Checkout.create();
    await copy.commit();
    const state = repository.state(await copy.refs());
    assert.deepEqual(await client.publish(state), [true, kInPurgatory]);
    assert.deepEqual(await client.query({ ids: [state.id] }), []);

    await copy.git('push', '--quiet', repository.url, 'main');
    const served = await client.query({ ids: [announcement.id, state.id] });
    assert.equal(served.length, 2);
    const clone = await Checkout.clone(repository.url);
    assert.deepEqual(await clone.refs('refs/heads'), await copy.refs('refs/heads'));
  });

  it('sends the released events to those who are subscribed', async () => {
    const repository = new Repository(host.server);
    const watcher = await host.server.connect();
    await watcher.subscribe('live', { authors: [repository.owner.pubkey] });
    await repository.publish(host.client);
    const kinds = [await watcher.next('EVENT', 'live'), await watcher.next('EVENT', 'live')];
    assert.deepEqual(
      kinds.map(([, , event]) => event.kind),
      [30617, 30618],
    );
    watcher.close();
  });

  it('may replace the history by one that shares nothing with it', async () => {
    const repository = new Repository(host.server);
    const copy = await repository.publish(host.client);
    const unrelated = await copy.orphan();
    await repository.declare(host.client, onMain(unrelated));
    await copy.git('push', '--quiet', '--force', repository.url, `${unrelated}:refs/heads/main`);
    const refs = await remoteRefs(repository.url);
    assert.deepEqual(refs, { HEAD: unrelated, ...onMain(unrelated) });
  });

  it('takes branches and tags, plain and annotated, in one go', async () => {
    const repository = new Repository(host.server);
    const copy = await Checkout.create();
    await copy.commit();
    await copy.git('branch', 'feature/one');
    await copy.git('tag', 'plain');
    await copy.git('tag', '-a', '-m', 'a release', 'v1');
    await copy.git('tag', '-a', '-m', 'a tag of a tag', 'v1-again', 'v1');
    await host.client.publishAll([repository.announcement()]);
    await repository.declare(host.client, await copy.refs());
    await copy.git('push', '--quiet', repository.url, 'refs/heads/*', 'refs/tags/*');
    const served = await remoteRefs(repository.url, '--refs');
    assert.deepEqual(served, await copy.refs());
  });

  it('takes no offence at a state that lists what its tags point to', async () => {
    const repository = new Repository(host.server);
    const copy = await Checkout.create();
    const commit = await copy.commit();
    await copy.git('tag', '-a', '-m', 'a release', 'v1');
    await host.client.publishAll([repository.announcement()]);
    const refs = { ...(await copy.refs()), 'refs/tags/v1^{}': commit };
    await repository.declare(host.client, refs);
    await copy.git('push', '--quiet', repository.url, 'main', 'v1');
    assert.equal((await remoteRefs(repository.url))['refs/tags/v1^{}'], commit);
  });

  it('deletes a branch and a tag that the state no longer declares', async () => {
    const repository = new Repository(host.server);
    const copy = await Checkout.create();
    await copy.commit();
    await copy.git('branch', 'old');
    await copy.git('tag', 'old-tag');
    await repository.publish(host.client, { checkout: copy });
    const next = await copy.commit('the next');
    await copy.git('branch', '-f', 'kept', next);
    const refs = { ...onMain(next), 'refs/heads/kept': next };
    await repository.declare(host.client, refs);
    await copy.git('push', '-q', repository.url, 'main', 'kept', ':old', ':refs/tags/old-tag');
    assert.deepEqual(await remoteRefs(repository.url), { HEAD: next, ...refs });
  });

  it('passes when it does what a state has done already', async () => {
    const repository = new Repository(host.server);
    const copy = await Checkout.create();
    const first = await copy.commit('first');
    const second = await copy.commit('second');
    await copy.git('branch', 'old');
    await repository.publish(host.client, { checkout: copy });
    // The state is applied at once, so that the client's list of refs is out of date.
    assert.deepEqual(await repository.declare(host.client, onMain(first)), [true, '']);
    const answer = await push(
      repository,
      commandList([
        [second, first, 'refs/heads/main'],
        [second, kNone, 'refs/heads/old'],
      ]),
    );
    assert.deepEqual(answer, ['unpack ok', 'ok refs/heads/main', 'ok refs/heads/old']);
    assert.deepEqual(await remoteRefs(repository.url), { HEAD: first, ...onMain(first) });
  });

  it('passes when it deletes what is not there', async () => {
    const repository = new Repository(host.server);
    const copy = await repository.publish(host.client);
    const old = await copy.git('rev-parse', 'HEAD');
    const answer = await push(repository, commandList([[old, kNone, 'refs/heads/never']]));
    assert.deepEqual(answer, ['unpack ok', 'ok refs/heads/never']);
  });

  it('passes when there is nothing to do', async () => {
    const repository = new Repository(host.server);
    const copy = await repository.publish(host.client);
    await copy.git('push', repository.url, 'main');
    assert.match(copy.stderr, /Everything up-to-date/);
    const tip = await copy.git('rev-parse', 'HEAD');
    const answer = await push(repository, commandList([[tip, tip, 'refs/heads/main']]));
    assert.deepEqual(answer, ['unpack ok', 'ok refs/heads/main']);
  });

  it('may be made by a maintainer who has announced nothing', async () => {
    const repository = new Repository(host.server);
    const maintainer = new Repository(host.server).owner;
    await host.client.publishAll([repository.announcement({ maintainers: [maintainer] })]);
    const copy = await Checkout.create();
    await copy.commit();
    await repository.declare(host.client, await copy.refs(), { by: maintainer });
    await copy.git('push', '--quiet', repository.url, 'main');
    assert.deepEqual(await remoteRefs(repository.url, '--heads'), await copy.refs());
  });

  it('takes a pack of several megabytes, after a probe and in chunks', async () => {
    const repository = new Repository(host.server);
    const copy = await Checkout.create();
    await copy.commit('big', { large: randomBytes(3 << 20), other: randomBytes(1 << 20) });
    copy.environment = { GIT_TRACE_CURL: '1', GIT_TRACE_CURL_NO_DATA: '1' };
    await host.client.publishAll([repository.announcement()]);
    await repository.declare(host.client, await copy.refs());
    await copy.git('push', '--quiet', repository.url, 'main');
    assert.match(copy.stderr, /header: Content-Length: 4\b/);
    assert.match(copy.stderr, /header: Transfer-Encoding: chunked/);
    const clone = await Checkout.clone(repository.url);
    await clone.git('fsck', '--full', '--strict');
  });

  it('takes more than a thousand refs', async () => {
    const repository = new Repository(host.server);
    const copy = await Checkout.create();
    const tip = await copy.commit();
    const branches = Array.from({ length: 1200 }, (_, i) => [`refs/heads/b/${i}`, tip]);
    await copy.updateRefs(Object.fromEntries(branches));
    await repository.publish(host.client, { checkout: copy });
    assert.deepEqual(await remoteRefs(repository.url, '--heads'), await copy.refs());
  });

  it('may come from a shallow clone', async () => {
    const repository = new Repository(host.server);
    const copy = await Checkout.create();
    for (const message of ['one', 'two', 'three']) await copy.commit(message);
    await repository.publish(host.client, { checkout: copy });
    const shallow = await Checkout.clone(repository.url, '--depth', '1');
    const next = await shallow.commit('on top of it');
    await repository.declare(host.client, onMain(next));
    await shallow.git('push', '--quiet', 'origin', 'main');
    const clone = await Checkout.clone(repository.url);
    assert.equal(await clone.git('rev-list', '--count', 'HEAD'), '4');
  });

  it('may come from a shallow clone of somewhere else only when its history is here', async () => {
    const copy = await Checkout.create();
    for (const message of ['one', 'two', 'three']) await copy.commit(message);
    const shallow = await Checkout.clone(`file://${copy.directory}`, '--depth', '1');
    const repository = new Repository(host.server);
    await host.client.publishAll([repository.announcement()]);
    await repository.declare(host.client, await shallow.refs('refs/heads'));
    const complaint = await shallow.fails('push', repository.url, 'main');
    assert.match(complaint, /shallow/);
    assert.deepEqual(await remoteRefs(repository.url), {});
  });
});

describe('data that was lost', () => {
  const host = sharedHost();

  it('may be pushed again for the state that is served', async () => {
    const repository = new Repository(host.server);
    const copy = await repository.publish(host.client);
    const tip = await copy.git('rev-parse', 'HEAD');
    await emptyDirectory(path.join(repository.directory, 'objects', 'pack'));
    const answer = await push(
      repository,
      Buffer.concat([commandList([[kNone, tip, 'refs/heads/main']]), await copy.pack(tip)]),
    );
    assert.deepEqual(answer, ['unpack ok', 'ok refs/heads/main']);
    const clone = await Checkout.clone(repository.url);
    assert.deepEqual(await clone.refs('refs/heads'), await copy.refs());
    await (await onDisk(repository)).git('fsck', '--full', '--strict');
  });

  it('may be pushed again when the whole repository is gone', async () => {
    const repository = new Repository(host.server);
    const copy = await repository.publish(host.client);
    await loseDirectory(repository.directory);
    await copy.git('push', '--quiet', repository.url, 'main');
    const clone = await Checkout.clone(repository.url);
    assert.deepEqual(await clone.refs('refs/heads'), await copy.refs());
  });
});
