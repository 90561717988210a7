// Peers that are not like us: behind TLS, without NIP-77, capped, asking for AUTH, private, lying.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import tls from 'node:tls';
import { WebSocketServer } from 'ws';
import { Author, now } from '../helpers/events.mjs';
import { removeDirectory, temporaryDirectory, until } from '../helpers/harness.mjs';
import { graspServer, Repository } from '../helpers/repository.mjs';
import { holds, relayStatus, SharedRepository, status, syncServer } from '../helpers/sync_servers.mjs';

const author = new Author();

const matches = (filter, event) =>
  Object.entries(filter).every(([name, values]) => {
    if (name === 'limit') return true;
    if (name === 'since') return event.created_at >= values;
    if (name === 'until') return event.created_at <= values;
    if (name === 'ids') return values.includes(event.id);
    if (name === 'authors') return values.includes(event.pubkey);
    if (name === 'kinds') return values.includes(event.kind);
    return event.tags.some(([letter, value]) => `#${letter}` === name && values.includes(value));
  });

// A relay as others write them. `habits` may cap answers, ask for AUTH, and change what is sent.
class OtherRelay {
  static async start(habits = {}) {
    const relay = new OtherRelay();
    Object.assign(relay, { events: [], requests: [], habits, keys: new Set() });
    relay.site = http.createServer((_, response) => {
      if (habits.moved) return response.writeHead(302, { location: habits.moved }).end();
      response.setHeader('content-type', 'application/nostr+json');
      response.end(JSON.stringify(habits.information ?? { supported_nips: [1, 11] }));
    });
    relay.site.unref(); // a test that fails must not keep the others waiting
    const busy = (_, done) => {
      relay.calls = (relay.calls ?? 0) + 1;
      const isBusy = relay.calls <= (habits.busy ?? 0);
      done(!isBusy, 429, 'busy', { 'retry-after': '0' });
    };
    relay.sockets = new WebSocketServer({ server: relay.site, verifyClient: busy });
    relay.sockets.on('connection', (socket) => relay.#welcome(socket));
    await new Promise((resolve) => relay.site.listen(0, '127.0.0.1', resolve));
    relay.url = `ws://127.0.0.1:${relay.site.address().port}`;
    return relay;
  }
  #welcome(socket) {
    const say = (...message) => socket.send(JSON.stringify(message));
    let known = !this.habits.auth;
    const challenge = `challenge ${Math.random()}`;
    if (!known && !this.habits.asksLate) say('AUTH', challenge);
    if (this.habits.begin) return socket._socket.write(this.habits.begin);
    socket.on('message', (data) => {
      const [verb, name, ...rest] = JSON.parse(data.toString());
      this.requests.push([verb, name, ...rest]);
      if (verb === 'AUTH') {
        known = name.tags.some(([key, value]) => key === 'challenge' && value === challenge);
        this.keys.add(name.pubkey);
        return say('OK', name.id, known, '');
      }
      if (verb === 'NEG-OPEN') return say('NOTICE', 'ERROR: bad msg: unknown cmd');
      if (verb !== 'REQ') return undefined;
      if (!known) {
        say('CLOSED', name, 'auth-required: who are you?');
        return this.habits.asksLate ? say('AUTH', challenge) : undefined;
      }
      for (const filter of rest) this.#answer(say, name, filter);
      return say('EOSE', name);
    });
  }
  #answer(say, name, filter) {
    const cap = Math.min(filter.limit ?? Infinity, this.habits.cap ?? Infinity);
    const found = this.events
      .filter((event) => matches(filter, event))
      .sort((a, b) => b.created_at - a.created_at || (a.id < b.id ? -1 : 1))
      .slice(0, cap);
    for (const event of found) for (const copy of this.habits.copies?.(event) ?? [event]) say('EVENT', name, copy);
  }
  async stop() {
    this.sockets.clients.forEach((socket) => socket.terminate());
    await new Promise((resolve) => this.site.close(resolve));
  }
}

describe('A peer that is another relay', () => {
  let server, client, repository;
  before(async () => {
    server = await syncServer();
    client = await server.connect();
    repository = new Repository(server);
    await repository.publish(client);
  });
  after(() => server.stop());

  const issues = (count, options = {}) =>
    Array.from({ length: count }, (_, i) =>
      author.sign({ kind: 1621, content: `${Math.random()}`, tags: [['a', repository.address]], created_at: now() - 1000 + i, ...options }),
    );
  let announced = now() + 60; // later than the first announcement, whenever that is made
  const follow = (...relays) =>
    client.publishAll([
      repository.announcement({ relays: [server.url, ...relays.map((relay) => relay.url)], created_at: ++announced }),
    ]);

  it('is read page by page to the end, though it caps and gives no hint', async () => {
    const relay = await OtherRelay.start({ cap: 50 });
    relay.events = [...issues(130), ...issues(40, { created_at: now() - 5000 })];
    await follow(relay);
    await holds(server, relay.events);
    await relay.stop();
  });

  it('is told who we are when it asks', async () => {
    const relay = await OtherRelay.start({ auth: true });
    relay.events = issues(10);
    await follow(relay);
    await holds(server, relay.events);
    assert.deepEqual([...relay.keys], [(await server.information()).pubkey]);
    await relay.stop();
  });

  it('is told who we are also when it refuses first and asks then', async () => {
    const relay = await OtherRelay.start({ auth: true, asksLate: true });
    relay.events = issues(10);
    await follow(relay);
    await holds(server, relay.events);
    await relay.stop();
  });

  it('is called again when it wanted us to call later', async () => {
    const relay = await OtherRelay.start({ busy: 2 });
    relay.events = issues(3);
    await follow(relay);
    await holds(server, relay.events, 30_000);
    const { failures } = await relayStatus(server, relay.url);
    assert.equal(failures, 0); // being busy is no failure
    await relay.stop();
  });

  it('is followed though its document leads elsewhere', async () => {
    const elsewhere = await OtherRelay.start({ information: { supported_grasps: ['GRASP-08'] } });
    const relay = await OtherRelay.start({ moved: elsewhere.url.replace('ws', 'http') });
    relay.events = issues(3);
    await follow(relay);
    await holds(server, relay.events);
    await Promise.all([relay.stop(), elsewhere.stop()]);
  });

  it('that caps at three is read to its end', async () => {
    const relay = await OtherRelay.start({ cap: 3 });
    relay.events = issues(20);
    await follow(relay);
    await holds(server, relay.events, 30_000);
    await relay.stop();
  });

  it('cannot shadow an event by forged copies of it', async () => {
    const forged = (event) => ({ ...event, content: `${event.content} forged` });
    const unsigned = (event) => ({ ...event, sig: '0'.repeat(128) });
    const relay = await OtherRelay.start({ copies: (event) => [forged(event), unsigned(event), event] });
    relay.events = issues(5);
    await follow(relay);
    await holds(server, relay.events);
    await relay.stop();
  });

  it('brings nothing that was not asked for', async () => {
    const stray = author.sign({ kind: 1621, content: 'stray', tags: [['a', `30617:${author.pubkey}:other`]] });
    const relay = await OtherRelay.start({ copies: (event) => [stray, event] });
    relay.events = issues(5);
    await follow(relay);
    await holds(server, relay.events);
    assert.deepEqual(await client.query({ ids: [stray.id] }), []);
    assert.ok((await relayStatus(server, relay.url, (one) => one.counts.unmatched > 0)));
    await relay.stop();
  });

  it('is not connected to when it says that it is private', async () => {
    const relay = await OtherRelay.start({ information: { supported_grasps: ['GRASP-01', 'GRASP-08'] } });
    await follow(relay);
    await relayStatus(server, relay.url, (one) => one.private);
    assert.deepEqual(relay.requests, []);
    await relay.stop();
  });

  it('is followed no more when no announcement lists it, and is forgotten after a while', async () => {
    const relay = await OtherRelay.start();
    await follow(relay);
    await relayStatus(server, relay.url, (one) => one.link === 'connected');
    await follow();
    const gone = async () => !(await status(server)).relays.some((one) => one.url === relay.url);
    await until(gone, 'the relay to be forgotten', 20_000);
    await relay.stop();
  });
});

describe('Peers that begin messages and do not end them', () => {
  it('share one budget of memory: the one that holds most is dropped, and it is said why', async () => {
    const server = await syncServer({ NGIT_SYNC_MAX_HELD_BYTES: '1M' });
    // The head of a message of 5 MB, and so much of it.
    const begin = (bytes) => Buffer.concat([Buffer.from([0x81, 127, 0, 0, 0, 0, 0, 0x4c, 0x4b, 0x40]), Buffer.alloc(bytes, 'x')]);
    const little = await OtherRelay.start({ begin: begin(100_000) });
    const much = await OtherRelay.start({ begin: begin(900_000) });
    const urls = [little.url, much.url];
    const client = await server.connect();
    await client.publishAll([new Repository(server).announcement({ relays: [server.url, ...urls] })]);
    const dropped = await relayStatus(server, much.url, (one) => one.failures > 0);
    assert.match(dropped.why, /more than any other relay.*NGIT_SYNC_MAX_HELD_BYTES/);
    assert.match((await server.get('/sync')).body, /more than any other relay/);
    assert.match(server.output, new RegExp(`${much.url} failed: it kept us holding`));
    const kept = await relayStatus(server, little.url, (one) => one.connected_since !== null);
    assert.equal(kept.failures, 0);
    await Promise.all([little.stop(), much.stop(), server.stop()]);
  });
});

describe('A peer that sends more than it may', () => {
  it('is read slowly, the page says so, and nothing is lost', async () => {
    // Ten minutes' worth come at once, then one every two seconds.
    const server = await syncServer({ NGIT_SYNC_MAX_EVENTS_PER_MINUTE_PER_RELAY: '30' });
    const relay = await OtherRelay.start();
    const repository = new Repository(server);
    const client = await server.connect();
    await repository.publish(client);
    relay.events = Array.from({ length: 304 }, (_, i) =>
      author.sign({ kind: 1621, content: `${i}`, tags: [['a', repository.address]], created_at: now() - 1000 + i }),
    );
    await client.publishAll([repository.announcement({ relays: [server.url, relay.url], created_at: now() + 60 })]);
    const slow = await relayStatus(server, relay.url, (one) => one.over_budget);
    assert.equal(slow.link, 'syncing');
    assert.match(slow.detail, /exceeds its rate limit and is read slowly/);
    await holds(server, relay.events, 60_000);
    const after = await relayStatus(server, relay.url, (one) => one.link === 'connected', 60_000);
    assert.equal(after.failures, 0);
    assert.equal(after.counts.timeouts, 0);
    await Promise.all([relay.stop(), server.stop()]);
  });

  it('brings no more new repositories in a day than it may, and the rest counts as missing', async () => {
    const relay = await OtherRelay.start();
    const server = await syncServer({ NGIT_SYNC_MAX_NEW_REPOSITORIES_PER_RELAY: '2' });
    relay.events = Array.from({ length: 5 }, () => new Repository(server).announcement());
    const client = await server.connect();
    const repository = new Repository(server);
    await client.publishAll([repository.announcement({ relays: [server.url, relay.url] })]);
    const gap = await relayStatus(server, relay.url, (one) => one.link === 'connected_with_gaps');
    assert.equal(gap.ids_lost, 3);
    assert.match(gap.detail, /3 events missing/);
    await Promise.all([relay.stop(), server.stop()]);
  });
});

describe('Relays beyond the limits', () => {
  it('wait for a free slot, and it is shown how many and why', async () => {
    const server = await syncServer({ NGIT_SYNC_MAX_RELAYS_PER_HOST: '2', NGIT_SYNC_MAX_RELAYS_PER_OWNER: '3' });
    const relays = ['ws://127.0.0.1:1', 'ws://127.0.0.1:2', 'ws://127.0.0.1:3', 'ws://127.0.0.2:1', 'ws://127.0.0.3:1'];
    const client = await server.connect();
    await client.publishAll([new Repository(server).announcement({ relays: [server.url, ...relays] })]);
    await until(async () => (await status(server)).relays.length === 3, 'three relays to be followed');
    const { totals, summary } = await status(server);
    assert.equal(totals.relays_waiting, 2);
    assert.equal(totals.relays_waiting_for_owner + totals.relays_waiting_for_host, 2);
    assert.match(summary, /2 relays wait for a free slot: .* by NGIT_SYNC_MAX_RELAYS_PER_/);
    assert.match((await server.get('/sync')).body, /2 more relays not followed because of limits/);
    await server.stop();
  });
});

describe('A peer behind TLS', () => {
  let directory, authority, a, proxy;
  before(async () => {
    directory = await temporaryDirectory();
    const file = (name) => path.join(directory, name);
    const openssl = (...parameters) => execFileSync('openssl', parameters, { stdio: 'pipe', cwd: directory });
    openssl('req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2', '-subj', '/CN=test authority', '-keyout', 'ca.key', '-out', 'ca.pem');
    openssl('req', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost', '-keyout', 'server.key', '-out', 'server.csr');
    openssl('x509', '-req', '-in', 'server.csr', '-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '2', '-copy_extensions', 'copy', '-out', 'server.pem');
    authority = file('ca.pem');
    a = await graspServer({ NGIT_SYNC_ENABLED: 'false' });
    proxy = tls.createServer({ key: readFileSync(file('server.key')), cert: readFileSync(file('server.pem')) }, (secure) => {
      const plain = net.connect(a.port, '127.0.0.1');
      secure.pipe(plain).pipe(secure);
      secure.on('error', () => plain.destroy());
      plain.on('error', () => secure.destroy());
    });
    await new Promise((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  });
  after(async () => {
    proxy.close();
    await a.stop();
    await removeDirectory(directory);
  });

  const wss = () => `wss://localhost:${proxy.address().port}`;

  it('is followed when a known authority vouches for it', async () => {
    const b = await syncServer({ NGIT_SYNC_CA_FILE: authority });
    const repository = new SharedRepository([a, b]);
    await repository.publishOn();
    const client = await a.connect();
    const issue = repository.issue(author);
    await client.publishAll([issue]);
    const other = await b.connect();
    await other.publishAll([repository.announcement({ relays: [b.url, wss()], clone: [repository.on(b).url], created_at: now() + 1 })]);
    await holds(b, [issue]);
    await relayStatus(b, wss(), (one) => one.health === 'healthy' && one.failures === 0);
    client.close();
    other.close();
    await b.stop();
  });

  it('is not spoken to when nobody does', async () => {
    const b = await syncServer();
    const repository = new Repository(b);
    const client = await b.connect();
    await client.publishAll([repository.announcement({ relays: [b.url, wss()] })]);
    const relay = await relayStatus(b, wss(), (one) => one.failures > 0);
    assert.match(relay.why, /certificate/);
    await b.stop();
  });
});

describe('Addresses that are not public', () => {
  it('are not connected to, whether written or found by name', async () => {
    const relay = await OtherRelay.start();
    const { port } = relay.site.address();
    const server = await graspServer();
    const client = await server.connect();
    const urls = [
      `ws://127.0.0.1:${port}`,
      `ws://[::1]:${port}`,
      `ws://[::ffff:127.0.0.1]:${port}`,
      `ws://localhost:${port}`,
      'ws://10.0.0.1:1',
      'ws://169.254.169.254',
      'ws://printer',
      'wss://abcdefghijklmnop.onion',
      'wss://relay.internal',
    ];
    await client.publishAll([new Repository(server).announcement({ relays: [server.url, ...urls] })]);
    const all = async () => (await status(server)).relays.filter((one) => one.failures > 0).length;
    await until(async () => (await all()) === 8, 'eight relays that are refused'); // two spell one
    for (const one of (await status(server)).relays) assert.match(one.why, /address|public name/);
    assert.deepEqual(relay.requests, []);
    await relay.stop();
    await server.stop();
  });
});

describe('A bootstrap relay', () => {
  it('leads to repositories that nobody announced here, and stays connected without any', async () => {
    const [a, b] = await Promise.all([syncServer(), syncServer()]);
    const c = await syncServer({ NGIT_SYNC_BOOTSTRAP_RELAY_URL: b.url });
    await relayStatus(c, b.url, (one) => one.link === 'connected' && one.bootstrap);
    const repository = new SharedRepository([a, b, c]);
    const checkout = await repository.publishOn([a]);
    const client = await a.connect();
    const issue = repository.issue(author);
    await client.publishAll([issue]);
    // B hears of it and finds A; C hears of it from B and finds both, data included.
    await repository.publishOn([b], { checkout });
    await holds(c, [issue], 20_000);
    for (const url of [a.url, b.url]) await relayStatus(c, url);
    await Promise.all([a.stop(), b.stop(), c.stop()]);
  });

  it('that is down at first is reached later', async () => {
    const gone = await syncServer();
    const { directory, port } = gone;
    gone.owned = false;
    await gone.stop();
    const b = await syncServer({ NGIT_SYNC_BOOTSTRAP_RELAY_URL: `ws://127.0.0.1:${port}` });
    await relayStatus(b, `ws://127.0.0.1:${port}`, (one) => one.failures > 0);
    const back = await syncServer({}, { directory, port });
    back.owned = true;
    await relayStatus(b, back.url, (one) => one.link === 'connected', 20_000);
    await Promise.all([back.stop(), b.stop()]);
  });
});
