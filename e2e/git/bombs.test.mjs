// Small packs that grow without end in the hands of git. They are refused in words, nothing of them
// stays, and the server goes on.
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { createDeflate, deflateSync } from 'node:zlib';
import { begin, commandList, kNone, reportIn, unfinishedPack } from '../helpers/git_wire.mjs';
import { until } from '../helpers/harness.mjs';
import {
  Checkout,
  incoming,
  processesOf,
  quarantined,
  Repository,
  sharedHost,
} from '../helpers/repository.mjs';

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
  await until(async () => (await processesOf(host.server)).length === 0, 'its end');
  await until(async () => (await incoming(host.server)).length === 0, 'its folder to go');
  assert.deepEqual(await quarantined(host.server), []);
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

// A commit whose message is `mebibytes` of nothing: git does not stream those as it does files.
async function inflatedCommit(mebibytes) {
  const deflate = createDeflate();
  const parts = [];
  deflate.on('data', (part) => parts.push(part));
  const piece = Buffer.alloc(kMebibyte);
  for (let i = 0; i < mebibytes; ++i)
    if (!deflate.write(piece)) await once(deflate, 'drain');
  deflate.end();
  await once(deflate, 'end');
  const size = mebibytes * kMebibyte;
  const head = Buffer.from([(1 << 4) | size % 16 | 0x80, ...varint(Math.floor(size / 16))]);
  return pack([Buffer.concat([head, ...parts])]);
}

// What the git processes of a server had at most while something went on, each for itself.
async function peakWhile(server, going) {
  let peak = 0;
  let over = false;
  const result = going.finally(() => (over = true));
  result.catch(() => {});
  while (!over) {
    for (const { pid } of await processesOf(server)) {
      const status = await readFile(`/proc/${pid}/status`, 'latin1').catch(() => '');
      peak = Math.max(peak, Number(status.match(/^VmHWM:\s+(\d+) kB/m)?.[1] ?? 0) * 1024);
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return { peak, result: await result };
}

// The limits of the processes that receive a pack: [{ cpu, data, first }].
async function limitsOf(server) {
  const receiving = (await processesOf(server)).filter(({ name }) => name === 'git');
  return Promise.all(
    receiving.map(async ({ pid }) => {
      const limits = await readFile(`/proc/${pid}/limits`, 'latin1');
      const of = (name) => Number(limits.match(new RegExp(`^${name} +(\\d+)`, 'm'))[1]);
      const first = Number(await readFile(`/proc/${pid}/oom_score_adj`, 'latin1'));
      return { cpu: of('Max cpu time'), data: of('Max data size'), first };
    }),
  );
}

// A push that goes on as long as the test likes.
async function beginPush(repository, ref, commit, headers) {
  const { outgoing, answered } = begin(repository, 'git-receive-pack', headers);
  outgoing.on('error', () => {});
  answered.catch(() => {});
  outgoing.write(commandList([[kNone, commit, ref]]));
  outgoing.write(unfinishedPack(200_000));
  return outgoing;
}

describe('an upload that nobody has signed for', () => {
  const host = sharedHost();

  it('gets half a gibibyte, however it unfolds', async () => {
    const repository = new Repository(host.server);
    const copy = await repository.publish(host.client);
    const small = await inflatedCommit(700);
    assert.ok(small.length < kMebibyte);
    const { peak, result } = await peakWhile(host.server, explode(repository, copy, small));
    assert.match(result[0], /more memory to unfold than this server gives/);
    assert.match(result[0], /without its event a push gets 512 MiB and 60 s/);
    assert.ok(peak < 512 * kMebibyte, `${peak} bytes`);
    await isCleanAndAlive(host, repository);
  });

  it('gets a minute of processor time, and goes first when memory ends', async () => {
    const repository = new Repository(host.server);
    const copy = await repository.publish(host.client);
    const outgoing = await beginPush(repository, unsignedRef(), await copy.orphan());
    const limits = await until(async () => {
      const found = await limitsOf(host.server).catch(() => []);
      return found.length >= 2 && found;
    }, 'receive-pack and index-pack');
    for (const { cpu, data, first } of limits) {
      assert.equal(cpu, 60);
      assert.ok(data <= 512 * kMebibyte, `${data} bytes`);
      assert.equal(first, 1000);
    }
    outgoing.destroy();
    await isCleanAndAlive(host, repository);
  });

  it('may be large', async () => {
    const repository = new Repository(host.server);
    const copy = await repository.publish(host.client);
    await copy.commit('noise', { noise: randomBytes(20 * kMebibyte) });
    await copy.git('push', '--quiet', repository.url, `HEAD:${unsignedRef()}`);
  });
});

describe('a push that is signed for', () => {
  const host = sharedHost();

  it('gets more', async () => {
    const repository = new Repository(host.server);
    const copy = await repository.publish(host.client);
    const commit = await copy.commit('more');
    await repository.declare(host.client, await copy.refs());
    const before = await copy.git('rev-parse', 'HEAD^');
    const { outgoing } = begin(repository, 'git-receive-pack');
    outgoing.on('error', () => {});
    outgoing.write(commandList([[before, commit, 'refs/heads/main']]));
    outgoing.write(unfinishedPack(200_000));
    const limits = await until(async () => {
      const found = await limitsOf(host.server).catch(() => []);
      return found.length >= 2 && found;
    }, 'receive-pack and index-pack');
    for (const { cpu, data, first } of limits) {
      assert.ok(cpu > 60);
      assert.ok(data > 1024 * kMebibyte, `${data} bytes`);
      assert.equal(first, 1000);
    }
    outgoing.destroy();
    await isCleanAndAlive(host, repository);
    await copy.git('push', '--quiet', repository.url, 'main');
  });

  it('but is small gets no more than others', async () => {
    const repository = new Repository(host.server);
    const copy = await repository.publish(host.client);
    const commit = await copy.commit('more');
    await repository.declare(host.client, await copy.refs());
    const before = await copy.git('rev-parse', 'HEAD^');
    const bytes = bomb({ count: 2, times: 1024 });
    const body = Buffer.concat([commandList([[before, commit, 'refs/heads/main']]), bytes]);
    const send = async () => {
      const answer = await fetch(`${repository.url}/git-receive-pack`, { method: 'POST', body });
      return reportIn(Buffer.from(await answer.arrayBuffer()));
    };
    const { peak, result } = await peakWhile(host.server, send());
    assert.match(result[0], /more memory to unfold than this server gives/);
    assert.ok(peak < 512 * kMebibyte, `${peak} bytes`);
  });
});

describe('a server with a gibibyte for git', () => {
  const host = sharedHost({
    NGIT_GIT_TOTAL_MEMORY_BYTES: String(1024 * kMebibyte),
    NGIT_TRUSTED_PROXY_CIDRS: '127.0.0.0/8',
    NGIT_GIT_QUEUE_TIMEOUT_SECS: '60',
  });
  const processes = (taken, waiting) =>
    until(
      async () =>
        (await host.server.metric('ngit_git_processes')) === taken &&
        (await host.server.metric('ngit_git_processes_waiting')) === waiting,
      `${taken} taken, ${waiting} waiting`,
    );

  it('lets two uploads in at a time, and the others when those have gone', async () => {
    const repository = new Repository(host.server);
    const copy = await repository.publish(host.client);
    const commit = await copy.orphan();
    const pushes = [];
    for (let i = 0; i < 6; ++i)
      pushes.push(
        await beginPush(repository, unsignedRef(), commit, { 'x-forwarded-for': `192.0.2.${i}` }),
      );
    await processes(2, 4);
    const clone = Checkout.clone(repository.url);
    pushes.forEach((one) => one.destroy());
    await clone;
    await processes(0, 0);
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

  it('that looks for trees below the second level is refused', async () => {
    const repository = new Repository(host.server);
    await repository.publish(host.client);
    const reader = await Checkout.create();
    const complaint = await reader.fails('fetch', '--filter=tree:3', repository.url, 'main');
    assert.match(complaint, /a tree filter allows max depth 2/);
  });

  it('that looks at each object once is served', async () => {
    const repository = new Repository(host.server);
    await repository.publish(host.client);
    const kinds = ['blob:none', 'blob:limit=1k', 'tree:0', 'tree:1', 'tree:2', 'object:type=commit'];
    for (const filter of kinds)
      await Checkout.clone(repository.url, '--no-checkout', `--filter=${filter}`);
  });
});
