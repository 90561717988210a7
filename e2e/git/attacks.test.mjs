// What git would never send. None of it may create a ref, keep an object or stop the server.
import assert from 'node:assert/strict';
import { afterEach, before as atFirst, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { Bytes } from '../helpers/raw_socket.mjs';
import { commandList, kFlush, kNone, packet, packets, post, push } from '../helpers/git_wire.mjs';
import { within } from '../helpers/harness.mjs';
import {
  Checkout,
  incoming,
  kInPurgatory,
  onDisk,
  processesOf,
  quarantined,
  remoteRefs,
  Repository,
  sharedHost,
} from '../helpers/repository.mjs';

const kCapabilities = '\0 report-status side-band-64k agent=attacker';

describe('a hostile push', () => {
  const host = sharedHost();
  let repository, copy, before, evil, pack;
  atFirst(async () => {
    repository = new Repository(host.server);
    copy = await repository.publish(host.client);
    before = await remoteRefs(repository.url);
    evil = await copy.orphan('evil');
    pack = await copy.pack(evil);
  });
  afterEach(async () => {
    assert.deepEqual(await remoteRefs(repository.url), before);
    const reader = await Checkout.create();
    assert.match(await reader.fails('fetch', repository.url, evil), /not our ref/);
    assert.deepEqual(await incoming(host.server), []);
    assert.deepEqual(await quarantined(host.server), []);
    assert.deepEqual(await processesOf(host.server), []);
  });
  const send = (...parts) => push(repository, Buffer.concat(parts));

  it('with a certificate in the place of commands is refused', async () => {
    const certificate =
      'certificate version 0.1\npusher evil <evil@example.com> 1700000000 +0000\n' +
      `nonce x\n\n${kNone} ${evil} refs/heads/evil\n-----BEGIN PGP SIGNATURE-----\n`;
    const answer = await send(
      packet(`push-cert${kCapabilities}\n`),
      packet(certificate),
      packet('push-cert-end\n'),
      kFlush,
      pack,
    );
    assert.deepEqual(answer, [
      'unpack push certificates are not supported: push again with --no-signed',
    ]);
  });

  it('with a certificate after a command is refused', async () => {
    const answer = await send(
      packet(`${before.HEAD} ${before.HEAD} refs/heads/main${kCapabilities}`),
      packet('push-cert\n'),
      packet(`certificate version 0.1\n\n${kNone} ${evil} refs/heads/evil\n`),
      packet('push-cert-end\n'),
      kFlush,
      pack,
    );
    assert.match(answer[1], /^ng refs\/heads\/main push certificates are not supported/);
  });

  it('with a wide space behind the name of a ref is refused', async () => {
    const name = `refs/nostr/${'ab'.repeat(32)}`;
    for (const tail of ['\u3000x', ' x', '\tx', '\u00a0x', '\u2028x']) {
      const answer = await send(commandList([[kNone, evil, name + tail]]), pack);
      assert.doesNotMatch(answer.join('\n'), /^ok /m, JSON.stringify(tail));
    }
  });

  it('without commands is refused', async () => {
    const shallow = packet(`shallow ${before.HEAD}`);
    for (const start of [[kFlush], [shallow, kFlush]]) {
      const body = Buffer.concat([...start, pack]);
      const answer = await post(repository, 'git-receive-pack', body);
      assert.equal(answer.status, 200);
      assert.deepEqual(packets(Buffer.from(answer.body)), ['ERR no ref updates found in push']);
    }
  });

  for (const [title, line] of [
    ['words', () => 'let me in please'],
    ['an oid in capitals', () => `${kNone} ${evil.toUpperCase()} refs/heads/evil`],
    ['an oid of SHA-256', () => `${'0'.repeat(64)} ${'ab'.repeat(32)} refs/heads/evil`],
    ['a tab between oids', () => `${kNone}\t${evil}\trefs/heads/evil`],
    ['no name', () => `${kNone} ${evil} `],
    ['a name with dots', () => `${kNone} ${evil} refs/heads/../../evil`],
    ['a name that is an option', () => `${kNone} ${evil} --upload-pack=evil`],
    ['HEAD', () => `${kNone} ${evil} HEAD`],
    ['a replacement of objects', () => `${kNone} ${evil} refs/replace/${before.HEAD}`],
    ['the refs of a staging folder', () => `${kNone} ${evil} refs/incoming/0`],
    ['a name in capitals', () => `${kNone} ${evil} REFS/HEADS/evil`],
    ['a second list of capabilities', () => `${kNone} ${evil} refs/heads/evil\0 atomic\0 more`],
  ]) {
    it(`with ${title} is refused`, async () => {
      const good = packet(`${before.HEAD} ${before.HEAD} refs/heads/main${kCapabilities}`);
      const answer = await send(good, packet(line()), kFlush, pack);
      assert.doesNotMatch(answer.join('\n'), /^ok /m);
      assert.equal(answer.length >= 2, true, answer.join());
    });
  }

  it('that names one ref twice is refused', async () => {
    const answer = await send(
      commandList([
        [before.HEAD, before.HEAD, 'refs/heads/main'],
        [before.HEAD, evil, 'refs/heads/main'],
      ]),
      pack,
    );
    assert.match(answer[1], /is updated twice in one push/);
  });

  for (const [title, bytes] of [
    ['a length that is no number', 'zzzzgarbage'],
    ['a length below four', '0003'],
    ['the delimiter of version 2', '0001'],
  ]) {
    it(`with ${title} is refused`, async () => {
      const answer = await post(
        repository,
        'git-receive-pack',
        Buffer.concat([Buffer.from(bytes), pack]),
      );
      assert.ok([200, 400].includes(answer.status));
      assert.doesNotMatch(answer.body, /ok refs/);
    });
  }

  it('that ends before its commands do is answered 400', async () => {
    const list = commandList([[kNone, evil, 'refs/heads/evil']]);
    const answer = await post(repository, 'git-receive-pack', list.subarray(0, 60));
    assert.equal(answer.status, 400);
    assert.equal((await post(repository, 'git-receive-pack', '')).status, 400);
  });

  it('that promises more bytes than it sends does nothing', async () => {
    await repository.declare(host.client, { 'refs/heads/main': evil });
    const body = Buffer.concat([commandList([[before.HEAD, evil, 'refs/heads/main']]), pack]);
    for (const cut of [50, body.length - 30, body.length]) {
      const client = await Bytes.connect(host.server.port);
      client.socket.write(
        `POST ${repository.path}/git-receive-pack HTTP/1.1\r\nHost: x\r\n` +
          `Content-Type: application/x-git-receive-pack-request\r\nContent-Length: ${body.length + 9}\r\n\r\n`,
      );
      client.socket.end(body.subarray(0, cut));
      await within(client.ended, () => 'the end of the connection');
      assert.doesNotMatch(client.text, /ok refs\/heads/);
    }
  });

  it('whose gzip is broken is answered 400', async () => {
    const body = gzipSync(Buffer.concat([commandList([[kNone, evil, 'refs/heads/evil']]), pack]));
    body.fill(0x55, 30, 60);
    const headers = { 'content-encoding': 'gzip' };
    assert.equal((await post(repository, 'git-receive-pack', body, headers)).status, 400);
    const plain = commandList([[kNone, evil, 'refs/heads/evil']]);
    assert.equal((await post(repository, 'git-receive-pack', plain, headers)).status, 400);
  });

  it('whose gzip breaks in the middle of an allowed pack does nothing', async () => {
    const large = await copy.feed(`${evil}\n`, 'pack-objects', '--revs', '--stdout', '-q');
    await repository.declare(host.client, { 'refs/heads/main': evil });
    const list = commandList([[before.HEAD, evil, 'refs/heads/main']]);
    const body = gzipSync(Buffer.concat([list, large]), { level: 0 });
    const headers = { 'content-encoding': 'gzip' };
    const cut = body.subarray(0, body.length - 12);
    assert.equal((await post(repository, 'git-receive-pack', cut, headers)).status, 400);
  });

  it('that is a bomb of gzip is cut off', async () => {
    const bomb = gzipSync(Buffer.alloc(64 << 20));
    for (const service of ['git-receive-pack', 'git-upload-pack']) {
      const answer = await post(repository, service, bomb, { 'content-encoding': 'gzip' });
      assert.ok([200, 400, 413].includes(answer.status), `${answer.status}`);
      assert.doesNotMatch(answer.body, /ok refs/);
    }
  });

  it('in an encoding nobody knows is answered 415', async () => {
    const headers = { 'content-encoding': 'br' };
    assert.equal((await post(repository, 'git-receive-pack', 'x', headers)).status, 415);
  });

  it('of a fetch that is garbage leaves no process behind', async () => {
    const answer = await post(repository, 'git-upload-pack', 'zzzz'.repeat(1000));
    assert.equal(answer.status, 200);
    assert.match(packets(Buffer.from(answer.body))[0], /^ERR /);
  });
});

describe('a history with holes', () => {
  const host = sharedHost();

  // What the next state names is known before it is pushed: its tip alone, without its parents.
  async function awaited() {
    const repository = new Repository(host.server);
    const copy = await repository.publish(host.client);
    const first = await copy.git('rev-parse', 'HEAD');
    await copy.commit('in between', { 'second.txt': '2' });
    const tip = await copy.commit('awaited', { 'third.txt': '3' });
    const objects = async (commit) => {
      const tree = await copy.git('ls-tree', '-r', '-t', '--format=%(objectname)', commit);
      return [commit, await copy.git('rev-parse', `${commit}^{tree}`), ...tree.split('\n')];
    };
    const packOf = async (...commits) => {
      const oids = new Set((await Promise.all(commits.map(objects))).flat());
      return copy.feed(`${[...oids].join('\n')}\n`, 'pack-objects', '--stdout', '-q');
    };
    return { repository, copy, first, tip, packOf };
  }
  const onMain = (oid) => ({ 'refs/heads/main': oid });

  it('does not come in beside a pull request, whatever is said to be shallow', async () => {
    const { repository, copy, first, tip, packOf } = await awaited();
    await repository.declare(host.client, onMain(tip));
    await copy.git('checkout', '--quiet', '--detach', first);
    const offered = await copy.commit('offered', { 'offer.txt': 'o' });
    const pull = repository.pullRequest(offered);
    await host.client.publishAll([pull]);
    const ref = `refs/nostr/${pull.id}`;
    const body = [packet(`shallow ${tip}`), commandList([[kNone, offered, ref]])];
    const answer = await push(repository, Buffer.concat([...body, await packOf(offered, tip)]));
    assert.match(answer[1], /^ng refs\/nostr\/\w+ did not receive expected object/);
    assert.deepEqual(await remoteRefs(repository.url), { HEAD: first, ...onMain(first) });
  });

  it('gets no ref, however its objects came in', async () => {
    const { repository, copy, first, tip, packOf } = await awaited();
    const disk = await onDisk(repository);
    await disk.feed(await packOf(tip), 'unpack-objects', '-q');
    const pull = repository.pullRequest(tip);
    for (const event of [repository.state(onMain(tip)), pull])
      assert.deepEqual(await host.client.publish(event), [true, kInPurgatory]);
    assert.deepEqual(await remoteRefs(repository.url), { HEAD: first, ...onMain(first) });

    await copy.git('push', '--quiet', repository.url, 'main');
    await disk.git('fsck', '--full');
    const refs = { HEAD: tip, ...onMain(tip), [`refs/nostr/${pull.id}`]: tip };
    assert.deepEqual(await remoteRefs(repository.url), refs);
  });
});
