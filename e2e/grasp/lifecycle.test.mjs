// Repositories that nobody signs any more, and those that return: refs, events and what hangs on
// them, with the death of the server in between.
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { after, describe, it } from 'node:test';
import { Author, now } from '../helpers/events.mjs';
import { removeDirectory, temporaryDirectory, until } from '../helpers/harness.mjs';
import {
  Checkout,
  graspServer,
  kInPurgatory,
  remoteRefs,
  Repository,
  sharedHost,
} from '../helpers/repository.mjs';

const isServed = async (client, event) => (await client.query({ ids: [event.id] })).length === 1;
const branches = async (repository) =>
  Object.keys(await remoteRefs(repository.url)).filter((ref) => !ref.startsWith('refs/nostr/'));
const announcementOf = async (client, { owner, identifier }) =>
  (await client.query({ kinds: [30617], authors: [owner.pubkey], '#d': [identifier] }))[0];
const soon = { created_at: now() + 60 };

// Its port changes with every life, its name does not.
const kDomain = 'grasp.example';
const endings = [];
after(() => Promise.all(endings.map((end) => end())));
async function lives() {
  const directory = await temporaryDirectory();
  let server;
  endings.push(async () => {
    await server?.kill();
    await removeDirectory(directory);
  });
  return async (settings = {}) => {
    await server?.kill();
    server = await graspServer({ NGIT_DOMAIN: kDomain, ...settings }, { directory });
    return { server, client: await server.connect() };
  };
}

const kEnds = {
  'deleted by its id': { end: ({ by, state }) => by.deletion([['e', state.id]], soon) },
  'deleted by its address': {
    end: ({ by }) => by.deletion([['a', `30618:${by.pubkey}:project`]], soon),
  },
  'of somebody who vanishes': {
    end: ({ by }) => by.sign({ kind: 62, tags: [['relay', 'ALL_RELAYS']], ...soon }),
  },
  'that expires': { tags: () => [['expiration', String(now() + 12)]] },
};

describe('the only state of a repository', { concurrency: true }, () => {
  for (const [how, { end, tags = () => [] }] of Object.entries(kEnds)) {
    it(`${how} takes it out of service until another one comes`, async () => {
      const start = await lives();
      let { server, client } = await start();
      const repository = new Repository(server);
      const by = new Author(); // a maintainer, who signs the only state
      const copy = await Checkout.create();
      const first = await copy.commit();
      const announcement = repository.announcement({ maintainers: [by] });
      await client.publishAll([announcement]);
      const state = repository.state(await copy.refs(), { by, tags: tags() });
      await client.publishAll([state]);
      await copy.git('push', '--quiet', repository.url, 'main');
      const pull = repository.pullRequest(first);
      const issue = new Author().sign({ kind: 1621, tags: [['a', repository.address]] });
      for (const event of [pull, issue]) assert.deepEqual(await client.publish(event), [true, '']);
      const all = [announcement, state, pull, issue];
      for (const event of all) assert.ok(await isServed(client, event));

      if (end) await client.publishAll([end({ by, state })]);
      for (const event of all)
        await until(async () => !(await isServed(client, event)), `the end of ${event.kind}`, 60_000);
      const isEmpty = async () => Object.keys(await remoteRefs(repository.url)).length === 0;
      await until(isEmpty, 'the refs to go', 30_000);
      ({ server, client } = await start());
      repository.server = server;
      assert.deepEqual(await remoteRefs(repository.url), {});
      assert.deepEqual(await client.query({ kinds: [30617, 30618, 1618, 1621] }), []);
      assert.notDeepEqual(await client.publish(state), [true, '']);

      // What the next one declares has to be pushed, as it had to be the first time.
      await copy.commit('more');
      const next = repository.state(await copy.refs(), { created_at: now() + 61 });
      assert.deepEqual(await client.publish(next), [true, kInPurgatory]);
      await copy.git('push', '--quiet', repository.url, 'main');
      for (const event of [announcement, next, pull, issue])
        await until(() => isServed(client, event), `the return of kind ${event.kind}`, 30_000);
      const refs = async () => await remoteRefs(repository.url);
      assert.equal((await refs())['refs/heads/main'], await copy.git('rev-parse', 'main'));
      await until(async () => (await refs())[`refs/nostr/${pull.id}`] === first, 'the pull request');
      assert.equal(await isServed(client, state), false);
    });
  }
});

describe('what returns', { concurrency: true }, () => {
  it('has no ref of a pull request that was deleted meanwhile', async () => {
    const start = await lives();
    let { server, client } = await start();
    const repository = new Repository(server);
    const copy = await repository.publish(client);
    const by = new Author();
    const tip = await copy.git('rev-parse', 'main');
    const pulls = [by, new Author(), new Author()].map((author) =>
      repository.pullRequest(tip, { by: author }),
    );
    for (const pull of pulls) assert.deepEqual(await client.publish(pull), [true, '']);
    await client.publishAll([repository.owner.deletion([['a', repository.address]])]);
    for (const pull of pulls)
      await until(async () => !(await isServed(client, pull)), 'the threads to end', 30_000);
    assert.deepEqual(await client.publish(by.deletion([['e', pulls[0].id]])), [true, '']);
    ({ server, client } = await start());
    repository.server = server;
    const again = repository.announcement({ created_at: now() + 5 });
    assert.deepEqual(await client.publish(again), [true, '']);
    for (const pull of pulls.slice(1)) {
      await until(() => isServed(client, pull), 'the others to return', 30_000);
      const ref = `refs/nostr/${pull.id}`;
      await until(async () => (await remoteRefs(repository.url))[ref] === tip, 'their refs', 30_000);
    }
    assert.equal(await isServed(client, pulls[0]), false);
    assert.equal((await remoteRefs(repository.url))[`refs/nostr/${pulls[0].id}`], undefined);
  });

  it('without its data waits together with its state', async () => {
    const start = await lives();
    let { server, client } = await start();
    const repository = new Repository(server);
    const copy = await repository.publish(client);
    const [state] = await client.query({ kinds: [30618], authors: [repository.owner.pubkey] });
    await client.publishAll([repository.owner.deletion([['a', repository.address]])]);
    await until(async () => !(await isServed(client, state)), 'the state to go', 30_000);
    rmSync(repository.directory, { recursive: true });
    ({ server, client } = await start());
    repository.server = server;
    const again = repository.announcement({ created_at: now() + 5 });
    assert.deepEqual(await client.publish(again), [true, kInPurgatory]);
    assert.equal(await isServed(client, state), false);
    assert.equal(await announcementOf(client, repository), undefined);
    assert.deepEqual(await branches(repository), []);
    await copy.git('push', '--quiet', repository.url, 'main');
    for (const event of [again, state]) assert.ok(await isServed(client, event));
  });
});

describe('a server that ignores requests', () => {
  it('stores deletions and requests to vanish, and serves what they name', async () => {
    const start = await lives();
    let { server, client } = await start();
    const repository = new Repository(server);
    await repository.publish(client);
    const earlier = new Author().sign({ kind: 1621, tags: [['a', repository.address]] });
    await client.publishAll([earlier]);
    const { owner } = repository;
    const requests = [
      owner.deletion([['a', repository.address]], soon),
      owner.sign({ kind: 62, tags: [['relay', 'ALL_RELAYS']], ...soon }),
    ];
    ({ server, client } = await start({ NGIT_DELETION_REQUEST_DISRESPECTOR: 'true' }));
    repository.server = server;
    for (const request of requests) {
      assert.deepEqual(await client.publish(request), [true, '']);
      assert.ok(await isServed(client, request));
    }
    assert.ok(await announcementOf(client, repository));
    assert.deepEqual(await branches(repository), ['HEAD', 'refs/heads/main']);
    const { supported_nips: nips } = await server.information();
    assert.ok(!nips.includes(9) && !nips.includes(62) && nips.includes(1));
    const changed = repository.announcement({ created_at: now() + 2 });
    assert.deepEqual(await client.publish(changed), [true, '']);
  });
});

describe('deletion requests', () => {
  it('are served for a while, obeyed for longer, and served again when they are used', async () => {
    const start = await lives();
    let { server, client } = await start();
    const repository = new Repository(server);
    await repository.publish(client);
    const by = repository.owner;
    const issue = by.sign({ kind: 1621, tags: [['a', repository.address]] });
    const request = by.deletion([['e', issue.id]], soon);
    await client.publishAll([issue]);
    await client.publishAll([request]);
    ({ server, client } = await start({
      NGIT_DELETION_REQUEST_RETENTION_UNUSED_SERVED_SECS: '1',
    }));
    await until(async () => !(await isServed(client, request)), 'the end of its service', 30_000);
    const [accepted, text] = await client.publish(request);
    assert.ok(accepted && text.startsWith('duplicate: deletion request is no longer served'), text);
    ({ server, client } = await start());
    assert.deepEqual(await client.publish(issue), [false, 'blocked: this event is deleted']);
    assert.ok(await isServed(client, request));
  });
});

describe('a service that has changed its name', () => {
  it('does not start unless its operator says what becomes of its repositories', async () => {
    const start = await lives();
    let { server, client } = await start();
    const repository = new Repository(server);
    const copy = await repository.publish(client);
    const tip = await copy.git('rev-parse', 'main');
    const renamed = { NGIT_DOMAIN: 'new.example' };
    await assert.rejects(start(renamed), /would no longer serve 1 repository announced for grasp\.example/);
    ({ server, client } = await start({ ...renamed, NGIT_FORMER_DOMAINS: kDomain }));
    repository.server = server;
    assert.equal((await remoteRefs(repository.url))['refs/heads/main'], tip);
    await copy.commit('more');
    await client.publishAll([repository.state(await copy.refs())]);
    await copy.git('push', '--quiet', repository.url, 'main');
    ({ server, client } = await start());
    repository.server = server;
    assert.equal((await branches(repository)).length, 2);
    ({ server, client } = await start({ ...renamed, NGIT_FORMER_DOMAINS: 'none' }));
  });
});

describe('an unsigned upload', () => {
  const host = sharedHost();

  it('is adopted by a state that names its commit, whichever comes first', async () => {
    const { server, client } = host;
    for (const uploadFirst of [true, false]) {
      const repository = new Repository(server);
      const copy = await repository.publish(client);
      await copy.commit('uploaded');
      const inner = await copy.git('rev-parse', 'HEAD');
      await copy.commit('on top');
      const upload = () =>
        copy.git('push', '--quiet', repository.url, `HEAD:refs/nostr/${'ab'.repeat(32)}`);
      const state = repository.state({ 'refs/heads/main': inner });
      if (uploadFirst) await upload();
      const answer = await client.publish(state);
      assert.deepEqual(answer, [true, uploadFirst ? '' : kInPurgatory]);
      if (!uploadFirst) await upload();
      assert.ok(await isServed(client, state));
      assert.deepEqual(await remoteRefs(repository.url), { HEAD: inner, 'refs/heads/main': inner });
      // What nobody signed stays out of sight.
      const other = await Checkout.create();
      await other.fails('fetch', repository.url, await copy.git('rev-parse', 'HEAD'));
    }
  });

  it('into another repository helps nobody', async () => {
    const { server, client } = host;
    const [victim, thief] = [new Repository(server), new Repository(server)];
    const copy = await victim.publish(client);
    await thief.publish(client);
    const secret = await copy.commit('uploaded');
    await copy.git('push', '--quiet', victim.url, `HEAD:refs/nostr/${'cd'.repeat(32)}`);
    const state = thief.state({ 'refs/heads/main': secret });
    assert.deepEqual(await client.publish(state), [true, kInPurgatory]);
  });
});
