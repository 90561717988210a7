// One admission for every way in: what a client is refused, a peer or a file cannot bring either.
import assert from 'node:assert/strict';
import http from 'node:http';
import { mkdtemp, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { WebSocketServer } from 'ws';
import { Author, now } from '../helpers/events.mjs';
import { removeDirectory, run, temporaryDirectory, until } from '../helpers/harness.mjs';
import { Checkout, graspServer, remoteRefs, Repository } from '../helpers/repository.mjs';
import { holds, syncServer } from '../helpers/sync_servers.mjs';

const kTenYears = 10 * 365 * 86_400;

// A relay that sends whatever it has to whoever asks for anything, what matches or not.
class CarelessRelay {
  static async start() {
    const relay = new CarelessRelay();
    relay.events = [];
    relay.site = http.createServer((_, response) => response.end('{"supported_nips":[1,11]}'));
    relay.site.unref();
    relay.sockets = new WebSocketServer({ server: relay.site });
    relay.sockets.on('connection', (socket) => {
      socket.on('message', (data) => {
        const [verb, name, ...filters] = JSON.parse(data.toString());
        if (verb !== 'REQ') return;
        const say = (...message) => socket.send(JSON.stringify(message));
        for (const event of relay.events)
          if (filters.some((filter) => matches(filter, event))) say('EVENT', name, event);
        say('EOSE', name);
      });
    });
    await new Promise((resolve) => relay.site.listen(0, '127.0.0.1', resolve));
    relay.url = `ws://127.0.0.1:${relay.site.address().port}`;
    return relay;
  }
  stop() {
    this.sockets.clients.forEach((socket) => socket.terminate());
    this.site.close();
  }
}

const matches = (filter, event) =>
  Object.entries(filter).every(([name, values]) => {
    if (name === 'ids') return values.includes(event.id);
    if (name === 'authors') return values.includes(event.pubkey);
    if (name === 'kinds') return values.includes(event.kind);
    if (name[0] !== '#') return true; // whatever its date
    return event.tags.some(([letter, value]) => `#${letter}` === name && values.includes(value));
  });

// About a repository, and no client may publish any of them.
function inadmissible(about, author = new Author()) {
  const tags = [['a', about]];
  return {
    'dated ahead': author.sign({ kind: 1621, created_at: now() + kTenYears, tags }),
    protected: author.sign({ kind: 1621, tags: [...tags, ['-']] }),
    'too large': author.sign({ kind: 1621, tags, content: 'x'.repeat(300_000) }),
    expired: author.sign({ kind: 1621, tags: [...tags, ['expiration', `${now() - 10}`]] }),
    'of a forbidden kind': author.sign({ kind: 24242, tags }),
  };
}

describe('the admission of events', () => {
  let server, peer, client, repository;
  before(async () => {
    peer = await CarelessRelay.start();
    server = await syncServer();
    client = await server.connect();
    repository = new Repository(server);
  });
  after(async () => {
    await server?.stop();
    peer?.stop();
  });
  const serve = async () => {
    const copy = await Checkout.create();
    await copy.commit();
    const relays = [repository.publicRelay, peer.url];
    await client.publishAll([repository.announcement({ relays })]);
    await client.publishAll([repository.state(await copy.refs())]);
    await copy.git('push', '--quiet', repository.url, 'refs/heads/*');
    return copy;
  };

  it('is the same for peers as for clients', async () => {
    const bad = inadmissible(repository.address);
    const good = new Author().sign({ kind: 1621, tags: [['a', repository.address]] });
    peer.events = [...Object.values(bad), good];
    await serve();
    for (const [what, event] of Object.entries(bad))
      assert.equal((await client.publish(event))[0], false, `${what}, from a client`);
    await holds(server, [good]);
    for (const [what, event] of Object.entries(bad))
      assert.deepEqual(await client.query({ ids: [event.id] }), [], `${what}, from a peer`);
  });

  it('keeps nobody out by a version of theirs from the future', async () => {
    repository = new Repository(server);
    const ahead = [
      repository.state({ 'refs/heads/main': '1'.repeat(40) }, { created_at: now() + kTenYears }),
      repository.announcement({ created_at: now() + kTenYears }),
    ];
    const good = new Author().sign({ kind: 1621, tags: [['a', repository.address]] });
    peer.events = [...ahead, good];
    const copy = await serve();
    await holds(server, [good]);
    const tip = await copy.commit();
    const [accepted, text] = await repository.declare(client, await copy.refs(), { created_at: now() });
    assert.equal(accepted, true, text);
    assert.doesNotMatch(text, /superseded/);
    await copy.git('push', '--quiet', repository.url, 'refs/heads/*');
    assert.equal((await remoteRefs(repository.url))['refs/heads/main'], tip);
    const [again, answer] = await client.publish(
      repository.announcement({ created_at: now() + 60, tags: [['description', 'newer']] }),
    );
    assert.deepEqual([again, answer], [true, '']);
  });
});

describe('versions from the future that an earlier start took', () => {
  it('are forgotten at the next one, and what they replaced is served again', async () => {
    const directory = await temporaryDirectory();
    const lenient = await graspServer({ NGIT_MAX_CREATED_AT_AHEAD_SECS: '0' }, { directory });
    const repository = new Repository(lenient);
    let client = await lenient.connect();
    const copy = await repository.publish(client);
    const first = await copy.git('rev-parse', 'HEAD');
    const wrong = await copy.commit();
    const ahead = now() + kTenYears;
    await repository.declare(client, await copy.refs(), { created_at: ahead });
    await copy.git('push', '--quiet', repository.url, 'refs/heads/*');
    const person = new Author();
    const lists = [ahead, now()].map((created_at) => person.sign({ kind: 10317, created_at }));
    await client.publishAll([lists[0]]);
    await lenient.stop();

    const server = await graspServer({}, { directory, port: lenient.port });
    client = await server.connect();
    repository.server = server;
    const [state, ...others] = await client.query({ kinds: [30618] });
    assert.deepEqual(others, []);
    assert.ok(state.created_at < now());
    const main = async () => (await remoteRefs(repository.url))['refs/heads/main'];
    await until(async () => (await main()) === first, 'the refs of the state before');
    await client.publishAll([lists[1]]);
    assert.deepEqual(await client.query({ kinds: [10317] }), [lists[1]]);
    const [accepted, text] = await repository.declare(client, await copy.refs(), { created_at: now() });
    assert.equal(accepted, true, text);
    await until(async () => (await main()) === wrong, 'the refs of the new state');
    await server.stop();
    await removeDirectory(directory);
  });
});

describe('an import', () => {
  it('refuses what clients are refused, and says why', async () => {
    const directory = await temporaryDirectory();
    const bad = inadmissible('30617:0:0');
    delete bad.protected; // the operator may have been given it by its author
    const file = path.join(await mkdtemp(path.join(os.tmpdir(), 'graspd-e2e-')), 'events');
    const good = new Author().sign();
    await writeFile(file, [...Object.values(bad), good].map((event) => JSON.stringify(event)).join('\n'));
    const { stderr } = await run(['import', file], { directory });
    assert.match(stderr, /5 lines: 1 stored, .*1 expired, .* 3 refused, 0 invalid/);
    assert.match(stderr, /line 1: invalid: created_at is more than 86400 seconds in the future/);
    assert.match(stderr, /line 2: blocked: event size \(\d+ bytes\) exceeds/);
    await removeDirectory(directory);
    await removeDirectory(path.dirname(file));
  });
});

describe('a low disk', () => {
  const kNoDiskHas = { NGIT_MIN_FREE_DISK_BYTES: String(1n << 60n) };

  it('refuses events from clients, peers and files', async () => {
    const directory = await temporaryDirectory();
    const event = new Author().sign({ kind: 10317 });
    const peer = await CarelessRelay.start();
    peer.events = [event];
    const server = await syncServer(
      { ...kNoDiskHas, NGIT_SYNC_BOOTSTRAP_RELAY_URL: peer.url },
      { directory, ready: false },
    );
    await server.logged(/ serves /);
    const client = await server.connect();
    const text = 'error: this server is low on disk space; try again later';
    for (const kind of [10317, 5, 62, 30617])
      assert.deepEqual(
        await client.publish(new Author().sign({ kind, tags: [['relay', 'ALL_RELAYS'], ['d', 'x']] })),
        [false, text],
      );
    assert.deepEqual(await client.query({ limit: 10 }), []);
    await server.stop();
    peer.stop();
    const file = path.join(directory, 'events');
    await writeFile(file, JSON.stringify(event));
    const { code, stderr } = await run(['import', file], { directory, settings: kNoDiskHas });
    assert.equal(code, 1);
    assert.match(stderr, /NGIT_MIN_FREE_DISK_BYTES/);
    await removeDirectory(directory);
  });
});
