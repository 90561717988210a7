// Events that come before their git data: the server goes and gets it, from wherever the
// announcements say it is.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Author } from '../helpers/events.mjs';
import { Forge } from '../helpers/git_forge.mjs';
import { kDelimiter, kFlush, packet } from '../helpers/git_wire.mjs';
import { kDeadline, until } from '../helpers/harness.mjs';
import {
  Checkout,
  graspServer,
  incoming,
  kInPurgatory,
  processesOf,
  remoteRefs,
  Repository,
  sharedHost,
} from '../helpers/repository.mjs';
import { has, holds, kFollows, SharedRepository, syncServer } from '../helpers/sync_servers.mjs';

// People who publish to such a server never push: it need not wait for them.
const kFetches = { ...kFollows, NGIT_GIT_FETCH_DELAY_SECS: '0' };

// The first lists refs, the second wants the pack.
const kFetchingPost = 2;

// Of a pack on its way.
const inPack = (bytes) => packet(Buffer.concat([Buffer.from([1]), bytes]));
// A pack of one blob of 64 GiB, deflated; then one piece of it after the other, stored.
const kOneHugeBlob = Buffer.from('5041434b0000000200000001b080808080107801', 'hex');
const kStored = Buffer.from('00ff7f0080', 'hex');

async function serves(repository, refs, ms = kDeadline) {
  let last;
  const same = async () => {
    last = await remoteRefs(repository.url, '--refs').catch(() => ({}));
    return JSON.stringify(last) === JSON.stringify(refs);
  };
  await until(same, () => `${JSON.stringify(refs)}; there is ${JSON.stringify(last)}`, ms);
}

async function leavesNothing(server) {
  await until(async () => (await incoming(server)).length === 0, 'an empty incoming folder');
  await until(async () => (await processesOf(server)).length === 0, 'the end of all processes');
}

describe('A server whose peer has the data', () => {
  let a, b;
  before(async () => {
    a = await syncServer();
    b = await syncServer({ NGIT_SYNC_BOOTSTRAP_RELAY_URL: a.url });
  });
  after(() => Promise.all([a.stop(), b.stop()]));

  it('gets events by sync and then their data, without anybody pushing', async () => {
    const repository = new SharedRepository([a, b]);
    const copy = await repository.publishOn([a]);
    await serves(repository.on(b), await copy.refs());
    const head = await copy.git('rev-parse', 'HEAD'); // moves after the refs
    const served = async () => (await remoteRefs(repository.on(b).url)).HEAD;
    await until(async () => (await served()) === head, 'HEAD');
    await leavesNothing(b);
    for (const operation of ['ls_remote', 'fetch']) {
      const labels = { operation, outcome: 'success' };
      const ended = () => b.metric('ngit_purgatory_git_subprocess_total', labels);
      await until(async () => (await ended()) >= 1, `${operation} in the metrics`);
    }
  });

  it('follows what is pushed there later, and pull requests', async () => {
    const repository = new SharedRepository([a, b]);
    const copy = await repository.publishOn([a]);
    await serves(repository.on(b), await copy.refs());
    await copy.git('checkout', '--quiet', '-b', 'more');
    await copy.commit();
    await copy.git('tag', '-a', '-m', 'one', 'v1');
    const client = await a.connect();
    const state = repository.state(await copy.refs());
    await client.publishAll([state]);
    await copy.git('push', '--quiet', repository.on(a).url, 'refs/heads/*', 'refs/tags/*');
    await serves(repository.on(b), await copy.refs());
    await holds(b, [state]);

    const commit = await copy.commit();
    const pull = repository.on(a).pullRequest(commit);
    await client.publishAll([pull]);
    await copy.git('push', '--quiet', repository.on(a).url, `${commit}:refs/nostr/${pull.id}`);
    await holds(b, [pull]);
    await serves(repository.on(b), {
      ...(await copy.refs('refs/heads/main')),
      'refs/heads/more': state.tags.find(([name]) => name === 'refs/heads/more')[1],
      [`refs/nostr/${pull.id}`]: commit,
      ...(await copy.refs('refs/tags')),
    });
    client.close();
  });
});

describe('Three servers that host the same', () => {
  let servers;
  before(async () => {
    const a = await syncServer();
    const settings = { NGIT_SYNC_BOOTSTRAP_RELAY_URL: a.url };
    servers = [a, await syncServer(settings), await syncServer(settings)];
  });
  after(() => Promise.all(servers.map((server) => server.stop())));

  it('get it from each other, also when the one that had it first is gone', async () => {
    const [a, b, c] = servers;
    const repository = new SharedRepository(servers);
    const copy = await repository.publishOn([a]);
    for (const server of [b, c]) await serves(repository.on(server), await copy.refs());
    await a.kill();
    await copy.commit();
    const client = await b.connect();
    await client.publishAll([repository.state(await copy.refs())]);
    await copy.git('push', '--quiet', repository.on(b).url, 'main');
    await serves(repository.on(c), await copy.refs(), 2 * kDeadline);
    client.close();
  });
});

describe('A server whose data lies on forges', () => {
  const shared = sharedHost(kFetches);
  let forge, other;
  before(async () => {
    [forge, other] = await Promise.all([Forge.start(), Forge.start({ host: '127.0.0.2' })]);
  });
  after(() => Promise.all([forge.stop(), other.stop()]));

  // Announced on our server with these clone URLs besides.
  async function announced(clone) {
    const repository = new Repository(shared.server);
    const announcement = repository.announcement({ clone: [repository.url, ...clone] });
    await shared.client.publishAll([announcement]);
    return { repository, announcement };
  }

  it('takes no history with holes: a mirror may be shallow', async () => {
    const copy = await Checkout.create();
    for (const message of ['one', 'two', 'three']) await copy.commit(message);
    const source = `file://${copy.directory}`;
    await new Checkout(forge.root).git('clone', '--depth=1', source, 'shallow.git');
    const { repository } = await announced([forge.url('shallow')]);
    const state = repository.state(await copy.refs());
    assert.deepEqual(await shared.client.publish(state), [true, kInPurgatory]);
    const corrupt = () =>
      shared.server.metric('ngit_git_fetch_results_total', { result: 'corrupt' });
    await until(async () => (await corrupt()) > 0, 'the fetch to be taken for what it is');
    assert.deepEqual(await remoteRefs(repository.url), {});
    await copy.git('push', '--quiet', repository.url, 'main');
    const clone = await Checkout.clone(repository.url);
    assert.equal(await clone.git('rev-list', '--count', 'HEAD'), '3');
  });

  it('fetches what a state names', async () => {
    const copy = await Checkout.create();
    await copy.commit();
    await copy.git('tag', 'v1');
    const refs = await copy.refs();
    const { repository, announcement } = await announced([await forge.hold('whole', copy, refs)]);
    const state = repository.state(refs);
    assert.deepEqual(await shared.client.publish(state), [true, kInPurgatory]);
    await serves(repository, refs);
    await holds(shared.server, [announcement, state]);
    await leavesNothing(shared.server);
  });

  it('puts together what lies in two places, half each', async () => {
    const copy = await Checkout.create();
    const main = await copy.commit();
    const refs = { 'refs/heads/dev': await copy.orphan(), 'refs/heads/main': main };
    const { repository } = await announced([
      await forge.hold('half', copy, { 'refs/heads/main': refs['refs/heads/main'] }),
      await other.hold('half', copy, { 'refs/heads/dev': refs['refs/heads/dev'] }),
    ]);
    await shared.client.publishAll([repository.state(refs)]);
    await serves(repository, refs);
  });

  it('takes what there is when a remote lacks an oid, and the rest when it comes', async () => {
    const copy = await Checkout.create();
    const main = await copy.commit();
    const refs = { 'refs/heads/dev': await copy.orphan(), 'refs/heads/main': main };
    const { repository } = await announced([
      await forge.hold('lacking', copy, { 'refs/heads/main': main }),
    ]);
    const state = repository.state(refs);
    await shared.client.publishAll([state]);
    const onDisk = new Checkout(repository.directory);
    const there = () =>
      onDisk.git('--git-dir=.', 'cat-file', '-e', main).then(
        () => true,
        () => false,
      );
    await until(there, 'the part that the remote has');
    assert.deepEqual(await remoteRefs(repository.url), {}); // not before all is there
    assert.ok(!(await has(shared.server, state)));
    await forge.put('lacking', copy, refs);
    await serves(repository, refs);
  });

  it('asks for a commit that no ref of the remote stands at', async () => {
    const copy = await Checkout.create();
    const old = await copy.commit();
    const refs = { 'refs/heads/main': await copy.commit() };
    const { repository } = await announced([await forge.hold('ahead', copy, refs, { anyOid: true })]);
    await shared.client.publishAll([repository.state({ 'refs/heads/main': old })]);
    await serves(repository, { 'refs/heads/main': old });
  });

  it('fetches the commit of a pull request from where its author says it is', async () => {
    const copy = await Checkout.create();
    await copy.commit();
    const refs = await copy.refs();
    const { repository } = await announced([await forge.hold('target', copy, refs)]);
    await shared.client.publishAll([repository.state(refs)]);
    await serves(repository, refs);
    const commit = await copy.commit();
    const fork = await other.hold('fork', copy, { 'refs/heads/feature': commit });
    const pull = new Author().sign({
      kind: 1618,
      tags: [['a', repository.address], ['c', commit], ['clone', fork]],
    });
    await shared.client.publishAll([pull]);
    await serves(repository, { ...refs, [`refs/nostr/${pull.id}`]: commit });
    assert.equal(other.asked('target'), 0);
  });

  // What else is in this pack, nobody asked for: the tip without its history.
  async function answerWithTornTip(copy, wanted, tip) {
    const objects = await copy.git('rev-list', '--objects', '--no-object-names', `${wanted}^!`, `${tip}^!`);
    const pack = await copy.feed(objects, 'pack-objects', '--stdout', '-q');
    const answer = Buffer.concat([
      packet('acknowledgments\n'),
      packet('ready\n'),
      kDelimiter,
      packet('shallow-info\n'),
      packet(`shallow ${tip}\n`),
      kDelimiter,
      packet('packfile\n'),
      inPack(pack),
      kFlush,
    ]);
    let posts = 0;
    return (request, response) => {
      if (request.method !== 'POST' || ++posts % kFetchingPost !== 0) return false;
      response.writeHead(200, { 'content-type': 'application/x-git-upload-pack-result' });
      return response.end(answer);
    };
  }

  it('fetches a history of which a remote has slipped in the tip', async () => {
    const copy = await Checkout.create();
    const first = await copy.commit();
    const refs = { 'refs/heads/main': first };
    const { repository } = await announced([await forge.hold('rising', copy, refs)]);
    await shared.client.publishAll([repository.state(refs)]);
    await serves(repository, refs);

    const offered = await copy.commit();
    await copy.git('reset', '--quiet', '--hard', first);
    await copy.commit();
    const tip = await copy.commit();
    const fork = await other.hold('slips', copy, { 'refs/heads/feature': offered });
    other.habits.set('slips', await answerWithTornTip(copy, offered, tip));
    const pull = new Author().sign({
      kind: 1618,
      tags: [['a', repository.address], ['c', offered], ['clone', fork]],
    });
    await shared.client.publishAll([pull]);
    await serves(repository, { ...refs, [`refs/nostr/${pull.id}`]: offered });
    await new Checkout(repository.directory).git('--git-dir=.', 'cat-file', '-e', tip);

    await forge.put('rising', copy, { 'refs/heads/main': tip });
    await shared.client.publishAll([repository.state({ 'refs/heads/main': tip })]);
    await serves(repository, { 'refs/heads/main': tip, [`refs/nostr/${pull.id}`]: offered });
    const clone = await Checkout.clone(repository.url);
    assert.equal(await clone.git('rev-list', '--count', 'HEAD'), '3');
  });

  it('goes on to the next remote when one is not there, refuses, or is not git', async () => {
    const copy = await Checkout.create();
    await copy.commit();
    const refs = await copy.refs();
    forge.habits.set('refuses', (_, response) => response.writeHead(403).end('no'));
    const { repository } = await announced([
      forge.url('absent'),
      forge.url('refuses'),
      'http://127.0.0.3:9/nobody.git',
      'ssh://git@127.0.0.1/never.git',
      await other.hold('present', copy, refs),
    ]);
    await shared.client.publishAll([repository.state(refs)]);
    await serves(repository, refs);
  });

  it('asks another domain when a remote falls silent, and ends the silent one', async () => {
    const copy = await Checkout.create();
    await copy.commit();
    const refs = await copy.refs();
    const silent = new Set();
    forge.habits.set('silent', (request) => silent.add(request.socket));
    const { repository } = await announced([forge.url('silent'), await other.hold('speaks', copy, refs)]);
    await shared.client.publishAll([repository.state(refs)]);
    await serves(repository, refs);
    assert.ok(silent.size > 0);
    await leavesNothing(shared.server);
  });

  it('asks another domain when a remote only trickles', async () => {
    const copy = await Checkout.create();
    await copy.commit();
    const refs = await copy.refs();
    const drops = [];
    forge.habits.set('trickles', (_, response) => {
      response.writeHead(200, { 'content-type': 'application/x-git-upload-pack-advertisement' });
      response.write('001e# service=git-upload-pack\n0000');
      drops.push(setInterval(() => response.write('0006x\n'), 100));
      return true;
    });
    const { repository } = await announced([
      forge.url('trickles'),
      await other.hold('flows', copy, refs),
    ]);
    await shared.client.publishAll([repository.state(refs)]);
    await serves(repository, refs);
    assert.ok(drops.length > 0);
    await leavesNothing(shared.server);
    drops.forEach(clearInterval);
  });

  // In the middle of the pack that it sends.
  function breakOff(times) {
    let posts = 0;
    return (request, response) => {
      if (request.method !== 'POST' || ++posts % kFetchingPost !== 0) return false;
      if (posts / kFetchingPost > times) return false;
      response.writeHead(200, { 'content-type': 'application/x-git-upload-pack-result' });
      response.write('000dpackfile\n000d\x01PACK\0\0\0\x02', () => request.socket.destroy());
      return true;
    };
  }

  it('goes on when a remote is killed in the middle', async () => {
    const copy = await Checkout.create();
    await copy.commit();
    const refs = await copy.refs();
    const dies = await forge.hold('dies', copy, refs);
    forge.habits.set('dies', breakOff(Infinity));
    const { repository } = await announced([dies, await other.hold('lives', copy, refs)]);
    await shared.client.publishAll([repository.state(refs)]);
    await serves(repository, refs);
    assert.ok(forge.asked('dies') >= kFetchingPost);
    await leavesNothing(shared.server);
  });

  it('comes back to a remote that was killed in the middle', async () => {
    const copy = await Checkout.create();
    await copy.commit();
    const refs = await copy.refs();
    const { repository } = await announced([await forge.hold('returns', copy, refs)]);
    forge.habits.set('returns', breakOff(1));
    await shared.client.publishAll([repository.state(refs)]);
    await serves(repository, refs, 2 * kDeadline);
    await leavesNothing(shared.server);
  });

  it('is not led elsewhere, and believes no remote that lies', async () => {
    const copy = await Checkout.create();
    await copy.commit();
    const refs = await copy.refs();
    const good = await other.hold('honest', copy, refs);
    forge.habits.set('leads', ({ url }, response) =>
      response.writeHead(302, { location: other.origin + url.replace('leads', 'led') }).end(),
    );
    // It advertises everything, and sends what it likes.
    await forge.hold('lies', copy, refs);
    let posts = 0;
    forge.habits.set('lies', (request, response) => {
      if (request.method !== 'POST' || ++posts < kFetchingPost) return false;
      response.writeHead(200, { 'content-type': 'application/x-git-upload-pack-result' });
      return response.end('000dpackfile\n0009\x01PACK0000');
    });
    const { repository } = await announced([forge.url('leads'), forge.url('lies'), good]);
    await shared.client.publishAll([repository.state(refs)]);
    await serves(repository, refs);
    assert.equal(other.asked('led'), 0);
    await leavesNothing(shared.server);
  });

  it('never asks itself, and asks no remote for what is here', async () => {
    const { repository } = await announced([]);
    const copy = await Checkout.create();
    await copy.commit();
    await shared.client.publishAll([repository.state(await copy.refs())]);
    await copy.git('push', '--quiet', repository.url, 'refs/heads/*');
    const before = forge.requests.length + other.requests.length;
    await shared.client.publishAll([repository.state(await copy.refs())]);
    await serves(repository, await copy.refs());
    assert.equal(forge.requests.length + other.requests.length, before);
    assert.ok(!shared.server.output.includes('from ' + repository.url));
  });

  it('aligns the repositories of all maintainers, wherever the data was found', async () => {
    const copy = await Checkout.create();
    await copy.commit();
    const refs = await copy.refs();
    const partner = new Author();
    const url = await forge.hold('common', copy, refs);
    const repository = new Repository(shared.server, { identifier: 'common' });
    const theirs = new Repository(shared.server, { owner: partner, identifier: 'common' });
    await shared.client.publishAll([
      repository.announcement({ maintainers: [partner] }),
      theirs.announcement({ maintainers: [repository.owner], clone: [theirs.url, url] }),
    ]);
    await shared.client.publishAll([repository.state(refs)]);
    await serves(repository, refs);
    await serves(theirs, refs);
  });
});

describe('A server that takes so much at once', () => {
  const shared = sharedHost({ ...kFetches, NGIT_MAX_GIT_FETCH_BYTES: `${256 << 10}` });
  let forge, other;
  before(async () => {
    [forge, other] = await Promise.all([Forge.start(), Forge.start({ host: '127.0.0.2' })]);
  });
  after(() => Promise.all([forge.stop(), other.stop()]));

  it('ends a remote that sends without end, and keeps nothing of it', async () => {
    const copy = await Checkout.create();
    await copy.commit();
    const refs = await copy.refs();
    const endless = await forge.hold('endless', copy, refs);
    let posts = 0;
    let sent = 0;
    forge.habits.set('endless', (request, response) => {
      if (request.method !== 'POST' || ++posts % kFetchingPost !== 0) return false;
      response.writeHead(200, { 'content-type': 'application/x-git-upload-pack-result' });
      response.write(Buffer.concat([packet('packfile\n'), inPack(kOneHugeBlob)]));
      const piece = Buffer.concat([inPack(kStored), inPack(Buffer.alloc(0x7fff))]);
      const more = () => {
        do sent += piece.length;
        while (!response.destroyed && response.write(piece));
      };
      response.on('drain', more);
      more();
      return true;
    });
    const repository = new Repository(shared.server);
    const clone = [repository.url, endless, await other.hold('small', copy, refs)];
    await shared.client.publishAll([repository.announcement({ clone }), repository.state(refs)]);
    await serves(repository, refs);
    const result = { result: 'too_large' };
    assert.ok((await shared.server.metric('ngit_git_fetch_results_total', result)) >= 1);
    await leavesNothing(shared.server);
    assert.ok(sent > 256 << 10, `${sent}`);
  });
});

describe('A server that expects a push', () => {
  const shared = sharedHost({ ...kFollows, NGIT_GIT_FETCH_DELAY_SECS: '600' });
  let forge;
  before(async () => (forge = await Forge.start()));
  after(() => forge.stop());

  it('fetches no sooner than a push has failed', async () => {
    const copy = await Checkout.create();
    await copy.commit();
    const refs = await copy.refs();
    const repository = new Repository(shared.server);
    const clone = [repository.url, await forge.hold('elsewhere', copy, refs)];
    await shared.client.publishAll([repository.announcement({ clone }), repository.state(refs)]);
    await copy.commit();
    assert.equal(forge.asked('elsewhere'), 0);
    await copy.fails('push', repository.url, 'main');
    await serves(repository, refs);
  });
});

describe('A server that is killed while it fetches', () => {
  it('leaves nothing behind and begins again', async () => {
    const forge = await Forge.start();
    let server = await graspServer(kFetches);
    const copy = await Checkout.create();
    await copy.commit();
    const refs = await copy.refs();
    const repository = new Repository(server);
    const clone = [repository.url, await forge.hold('slow', copy, refs)];
    let posts = 0;
    forge.habits.set('slow', ({ method }) => method === 'POST' && ++posts >= kFetchingPost);
    const client = await server.connect();
    await client.publishAll([repository.announcement({ clone }), repository.state(refs)]);
    await until(() => posts >= kFetchingPost, 'a fetch to begin');
    const { directory, port } = server;
    server.owned = false;
    await server.kill();
    forge.habits.delete('slow');
    server = await graspServer({ ...kFetches, NGIT_DOMAIN: `127.0.0.1:${port}` }, { directory });
    server.owned = true;
    await serves(new Repository(server, repository), refs);
    await leavesNothing(server);
    await server.stop();
    await forge.stop();
  });
});

describe('A public server', () => {
  const shared = sharedHost({ NGIT_GIT_FETCH_DELAY_SECS: '0' });
  let forge;
  before(async () => (forge = await Forge.start()));
  after(() => forge.stop());

  it('does not go to private addresses, by number or by name', async () => {
    const copy = await Checkout.create();
    await copy.commit();
    const refs = await copy.refs();
    const repository = new Repository(shared.server);
    const url = await forge.hold('inside', copy, refs);
    const clone = [repository.url, url, url.replace('127.0.0.1', 'localhost')];
    await shared.client.publishAll([repository.announcement({ clone }), repository.state(refs)]);
    await until(
      async () =>
        (await shared.server.metric('ngit_git_fetch_results_total', { result: 'forbidden' })) >= 2,
      'two refusals of our own',
    );
    assert.equal(forge.requests.length, 0);
  });
});
