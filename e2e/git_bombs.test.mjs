// Small packs that grow without end in the hands of git. They are refused in words, nothing of them
// stays, and the server goes on.
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { deflateSync } from 'node:zlib';
import { commandList, kNone, reportIn } from './git_wire.mjs';
import { until } from './harness.mjs';
import {
  Checkout,
  incoming,
  processesOf,
  quarantined,
  Repository,
  sharedHost,
} from './repository.mjs';

const kMebibyte = 1 << 20;
const [kBlob, kDelta] = [3, 7];
const unsignedRef = () => `refs/nostr/${randomBytes(32).toString('hex')}`;

const sha1 = (...parts) => {
  const hash = createHash('sha1');
  parts.forEach((part) => hash.update(part));
  return hash.digest();
};

// Seven bits at a time, the lowest first.
function varint(number, bytes = []) {
  for (; number > 0x7f; number = Math.floor(number / 128)) bytes.push((number % 128) | 0x80);
  return [...bytes, number];
}
function entry(type, content, base = Buffer.alloc(0)) {
  const [low, rest] = [content.length % 16, Math.floor(content.length / 16)];
  const head = rest > 0 ? [(type << 4) | low | 0x80, ...varint(rest)] : [(type << 4) | low];
  return Buffer.concat([Buffer.from(head), base, deflateSync(content)]);
}
function pack(entries) {
  const head = Buffer.from('PACK\0\0\0\x02\0\0\0\0', 'latin1');
  head.writeUInt32BE(entries.length, 8);
  const body = Buffer.concat([head, ...entries]);
  return Buffer.concat([body, sha1(body)]);
}
// `count` objects, each `times` mebibytes of nothing and something that tells it from the others.
function bomb({ count, times }) {
  const base = Buffer.alloc(kMebibyte);
  const oid = sha1(`blob ${base.length}\0`, base);
  const copy = Buffer.from([0x80 | 0x40, 0x10]); // all of the base, from its start
  const deltas = Array.from({ length: count }, (_, i) => {
    const sizes = Buffer.from([...varint(base.length), ...varint(base.length * times + 2)]);
    const own = Buffer.from([2, i >> 8, i & 0xff]);
    return entry(kDelta, Buffer.concat([sizes, ...Array(times).fill(copy), own]), oid);
  });
  return pack([entry(kBlob, base), ...deltas]);
}

// A bomb burns as long as the server lets it: nothing here is in a hurry.
async function explode(repository, copy, bytes) {
  const commit = await copy.git('rev-parse', 'HEAD');
  const answer = await fetch(`${repository.url}/git-receive-pack`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-git-receive-pack-request' },
    body: Buffer.concat([commandList([[kNone, commit, unsignedRef()]]), bytes]),
  });
  assert.equal(answer.status, 200);
  return reportIn(Buffer.from(await answer.arrayBuffer()));
}

async function isCleanAndAlive(host, repository) {
  assert.deepEqual(await incoming(host.server), []);
  assert.deepEqual(await quarantined(host.server), []);
  await until(async () => (await processesOf(host.server)).length === 0, 'its end');
  await Checkout.clone(repository.url);
}

describe('a pack that unfolds to more than the memory of a git process', () => {
  const host = sharedHost({ NGIT_GIT_MAX_MEMORY_BYTES: String(192 * kMebibyte) });

  it('is refused in words', async () => {
    const repository = new Repository(host.server);
    const copy = await repository.publish(host.client);
    const small = bomb({ count: 2, times: 1024 });
    assert.ok(small.length < 16 * 1024);
    const answer = await explode(repository, copy, small);
    assert.match(answer[0], /^unpack the pack takes more memory to unfold than this server/);
    assert.match(answer[1], /^ng refs\/nostr\/\w+ the pack takes more memory/);
    await isCleanAndAlive(host, repository);
  });
});

describe('a pack that takes more time than a git process has', () => {
  const host = sharedHost({ NGIT_GIT_MAX_CPU_SECS: '1' });

  it('is refused in words', async () => {
    const repository = new Repository(host.server);
    const copy = await repository.publish(host.client);
    const answer = await explode(repository, copy, bomb({ count: 2_000, times: 128 }));
    assert.match(answer[0], /^unpack the pack takes more time to check than this server/);
    await isCleanAndAlive(host, repository);
  });
});

describe('a pack that is larger than the files of a git process', () => {
  const host = sharedHost({ NGIT_GIT_MAX_FILE_BYTES: String(kMebibyte) });

  it('is refused in words', async () => {
    const repository = new Repository(host.server);
    const copy = await repository.publish(host.client);
    await copy.commit('noise', { noise: randomBytes(2 * kMebibyte) });
    await repository.declare(host.client, await copy.refs());
    const complaint = await copy.fails('push', repository.url, 'main');
    assert.match(complaint, /larger when it is complete than this server keeps/);
    await isCleanAndAlive(host, repository);
  });
});

describe('a fetch with a filter', () => {
  const host = sharedHost();

  it('that walks every path instead of every object is refused', async () => {
    const repository = new Repository(host.server);
    const copy = await repository.publish(host.client);
    const specification = await copy.git('rev-parse', 'HEAD:file.txt');
    for (const filter of [`sparse:oid=${specification}`, 'combine:tree:3+blob:none']) {
      const reader = await Checkout.create();
      const complaint = await reader.fails('fetch', `--filter=${filter}`, repository.url, 'main');
      assert.match(complaint, /filter '(sparse:oid|combine)' not supported/, filter);
    }
  });

  it('that looks at each object once is served', async () => {
    const repository = new Repository(host.server);
    await repository.publish(host.client);
    for (const filter of ['blob:none', 'blob:limit=1k', 'tree:0', 'object:type=commit'])
      await Checkout.clone(repository.url, '--no-checkout', `--filter=${filter}`);
  });
});
