// Clients that send next to nothing, for as long as they are let. Nobody else notices them.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import net from 'node:net';
import { after, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { commandList, kNone, packet, unfinishedPack } from '../helpers/git_wire.mjs';
import { request, until } from '../helpers/harness.mjs';
import { Checkout, processesOf, remoteRefs, Repository, sharedHost } from '../helpers/repository.mjs';

const kTick = 200; // milliseconds from one byte to the next
const unsignedRef = () => `refs/nostr/${randomBytes(32).toString('hex')}`;
const anyOid = () => randomBytes(20).toString('hex');

// What is never sent to its end, so that it has no beginning that git could work on.
const fetchBody = () =>
  Buffer.concat([
    packet(`want ${anyOid()} side-band-64k ofs-delta\n`),
    ...Array.from({ length: 500 }, () => packet(`have ${anyOid()}\n`)),
  ]);
const pushBody = () =>
  Buffer.concat([
    commandList([[kNone, anyOid(), unsignedRef()]]),
    Buffer.from('PACK\0\0\0\x02\0\0\0\x09', 'latin1'),
    randomBytes(1_000),
  ]);

// How a body may come. `atOnce`: how much of it.
const kinds = [
  { service: 'git-upload-pack', body: fetchBody, atOnce: 10 },
  { service: 'git-upload-pack', body: fetchBody, atOnce: 4_000 },
  { service: 'git-upload-pack', body: fetchBody, atOnce: 4_000, chunked: true },
  { service: 'git-upload-pack', body: () => gzipSync(fetchBody()), atOnce: 500, gzip: true },
  { service: 'git-upload-pack', body: fetchBody, atOnce: 0, expects: true },
  { service: 'git-receive-pack', body: pushBody, atOnce: 10 },
  { service: 'git-receive-pack', body: pushBody, atOnce: 400 },
  { service: 'git-receive-pack', body: pushBody, atOnce: 400, chunked: true },
  { service: 'git-receive-pack', body: () => gzipSync(pushBody()), atOnce: 400, gzip: true },
  { service: 'git-receive-pack', body: pushBody, atOnce: 0, expects: true },
];

// One such client. `answer` is what it has been told so far.
class Trickle {
  static all = new Set();
  static async begin(repository, kind, localAddress = '127.0.0.1') {
    const one = new Trickle();
    Object.assign(one, { answer: '', kind, body: kind.body(), sent: 0 });
    const { server } = repository;
    one.socket = net.connect({ host: '127.0.0.1', port: server.port, localAddress });
    one.socket.on('error', () => {});
    one.socket.on('data', (bytes) => (one.answer += bytes.toString('latin1')));
    one.ended = once(one.socket, 'close');
    await once(one.socket, 'connect');
    const head = [
      `POST ${repository.path}/${kind.service} HTTP/1.1`,
      `Host: 127.0.0.1:${server.port}`,
      `Content-Type: application/x-${kind.service}-request`,
      kind.chunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${one.body.length}`,
      ...(kind.gzip ? ['Content-Encoding: gzip'] : []),
      ...(kind.expects ? ['Expect: 100-continue'] : []),
    ];
    one.socket.write(`${head.join('\r\n')}\r\n\r\n`);
    one.send(kind.atOnce);
    one.timer = setInterval(() => one.send(1), kTick);
    Trickle.all.add(one);
    return one;
  }
  send(count) {
    const part = this.body.subarray(this.sent, this.sent + count);
    this.sent += part.length;
    if (part.length === 0 || this.socket.destroyed) return;
    this.socket.write(this.kind.chunked ? `${part.length.toString(16)}\r\n` : '');
    this.socket.write(part);
    if (this.kind.chunked) this.socket.write('\r\n');
  }
  end() {
    clearInterval(this.timer);
    this.socket.destroy();
    Trickle.all.delete(this);
  }
  static endAll() {
    Trickle.all.forEach((one) => one.end());
  }
}

// A clone, a push and a second clone, as people do them.
async function isServed(host) {
  const repository = new Repository(host.server);
  const copy = await repository.publish(host.client);
  const clone = await Checkout.clone(repository.url);
  assert.equal(await clone.git('rev-parse', 'HEAD'), await copy.git('rev-parse', 'HEAD'));
  await copy.commit();
  await repository.declare(host.client, await copy.refs());
  await copy.git('push', '--quiet', repository.url, 'main');
  assert.equal((await remoteRefs(repository.url)).HEAD, await copy.git('rev-parse', 'HEAD'));
}

describe('clients that trickle', () => {
  const host = sharedHost();
  after(() => Trickle.endAll());

  const crowds = [
    { count: 64, addresses: 1, from: 'one address' },
    { count: 200, addresses: 1, from: 'one address' },
    { count: 200, addresses: 200, from: 'as many addresses' },
  ];
  for (const { count, addresses, from } of crowds) {
    it(`${count} of them, from ${from}, occupy no process and keep nobody waiting`, async () => {
      const repository = new Repository(host.server);
      await repository.publish(host.client);
      for (let i = 0; i < count; ++i)
        await Trickle.begin(repository, kinds[i % kinds.length], `127.0.1.${1 + (i % addresses)}`);
      const started = Date.now();
      await isServed(host);
      assert.ok(Date.now() - started < 30_000);
      await until(async () => (await processesOf(host.server)).length === 0, 'no process');
      assert.equal(await host.server.metric('ngit_git_processes'), 0);
      Trickle.endAll();
    });
  }
});

describe('a client slower than the minimum rate', () => {
  const host = sharedHost({ NGIT_GIT_STALL_SECS: '2', NGIT_GIT_MIN_BYTES_PER_SEC: '100000' });
  after(() => Trickle.endAll());

  for (const kind of kinds) {
    const how = ['chunked', 'gzip', 'expects'].filter((name) => kind[name]).join() || 'plain';
    it(`is told so: ${kind.service}, ${how}, after ${kind.atOnce} bytes`, async () => {
      const repository = new Repository(host.server);
      await repository.publish(host.client);
      const client = await Trickle.begin(repository, kind);
      await until(() => client.answer.includes('too slowly'), 'the refusal');
      assert.match(client.answer, /^(HTTP\/1.1 100 Continue\r\n\r\n)?HTTP\/1.1 408 /);
      assert.match(client.answer, /\r\nconnection: close\r\n/i);
      client.end();
    });
  }

  it('also where git has begun to take its pack', async () => {
    const repository = new Repository(host.server);
    await repository.publish(host.client);
    const client = await occupy(repository);
    await until(() => client.answer.includes('too slowly'), 'the refusal');
    assert.match(client.answer, /^HTTP\/1.1 408 /);
    await until(async () => (await processesOf(host.server)).length === 0, 'its end');
    client.end();
  });
});

// A push that occupies a process: more of its pack has come than is held, and it is no whole one.
async function occupy(repository, localAddress) {
  const begin = commandList([[kNone, anyOid(), unsignedRef()]]);
  const body = () => Buffer.concat([begin, unfinishedPack(1_000_000)]);
  const kind = { service: 'git-receive-pack', body, atOnce: 150_000 };
  return Trickle.begin(repository, kind, localAddress);
}

describe('a server with eight git processes', () => {
  const host = sharedHost({ NGIT_MAX_GIT_PROCESSES: '8', NGIT_GIT_QUEUE_TIMEOUT_SECS: '60' });
  after(() => Trickle.endAll());
  const taken = (count) =>
    until(async () => (await host.server.metric('ngit_git_processes')) === count, `${count} taken`);

  it('gives one address two, and others theirs', async () => {
    const repository = new Repository(host.server);
    await repository.publish(host.client);
    for (let i = 0; i < 6; ++i) await occupy(repository, '127.0.2.1');
    await taken(2);
    await occupy(repository, '127.0.2.2');
    await taken(3);
    await isServed(host);
    Trickle.endAll();
    await taken(0);
  });

  it('lists refs when all of them are taken', async () => {
    const repository = new Repository(host.server);
    await repository.publish(host.client);
    for (let i = 0; i < 8; ++i) await occupy(repository, `127.0.3.${1 + (i >> 1)}`);
    await taken(8);
    const info = `${repository.url}/info/refs?service=git-upload-pack`;
    assert.equal((await request(info)).status, 200);
    Trickle.endAll();
  });
});
