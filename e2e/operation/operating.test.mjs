// What an operator does to a server and its data, and what commands show of what relays say.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { chmod, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { nip19 } from 'nostr-tools';
import { WebSocketServer } from 'ws';
import { Author, plain } from '../helpers/events.mjs';
import { removeDirectory, request, run, Server, temporaryDirectory } from '../helpers/harness.mjs';
import { graspServer, kInPurgatory, Repository } from '../helpers/repository.mjs';

const npub = (author) => nip19.npubEncode(author.pubkey);

async function folder(t) {
  const directory = await temporaryDirectory();
  t.after(() => removeDirectory(directory));
  return directory;
}

// eslint-disable-next-line no-control-regex
const kSteering = /[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/u;
const kHostile = 'no\x1b[2J\x07\r\ngraspd: all is well \x9b31m\x85 \x7f \u2028\u202etxt.exe';

describe('a relay that tries to command the terminal', () => {
  const author = new Author();
  const event = author.sign({ kind: 1, content: kHostile, tags: [['t', kHostile]] });
  let directory, relay, url;
  before(async () => {
    directory = await temporaryDirectory();
    relay = new WebSocketServer({ port: 0, host: '127.0.0.1' });
    await once(relay, 'listening');
    url = `ws://127.0.0.1:${relay.address().port}`;
    relay.on('connection', (socket) => {
      const say = (...message) => socket.send(JSON.stringify(message));
      say('NOTICE', kHostile);
      socket.on('message', (data) => {
        const [verb, about, filter] = JSON.parse(data.toString());
        if (verb === 'EVENT') say('OK', about.id, about.content !== 'no', kHostile);
        if (verb !== 'REQ') return;
        if (filter.kinds?.[0] === 2) return say('CLOSED', about, kHostile);
        say('EVENT', about, plain(event));
        say('EOSE', about);
      });
    });
    await run(['key', '--new'], { directory });
  });
  after(async () => {
    relay.clients.forEach((socket) => socket.terminate());
    relay.close();
    await removeDirectory(directory);
  });

  const at = (...parameters) => [...parameters, '--relay', url];
  for (const [title, parameters, input, exit] of [
    ['read', () => at('read', '{"kinds":[1]}'), '', 0],
    ['a refused read', () => at('read', '{"kinds":[2]}'), '', 1],
    ['publish', () => at('publish', '--sign'), '{"kind":1,"tags":[],"content":"yes"}', 0],
    ['a refused publish', () => at('publish', '--sign'), '{"kind":1,"tags":[],"content":"no"}', 1],
    ['announce', () => at('announce', 'x'), '', 0],
    ['issue', () => at('issue', `${npub(author)}/x`, '--subject', 's', 'text'), '', 0],
    ['sync', () => ['sync', url, '--down', '--filter', '{"kinds":[2]}'], '', undefined],
  ]) {
    it(`fails at ${title}`, async () => {
      const { code, stdout, stderr } = await run(parameters(), { directory, input });
      if (exit !== undefined) assert.equal(code, exit, stderr);
      assert.doesNotMatch(stdout, kSteering);
      assert.doesNotMatch(stderr, kSteering);
      assert.doesNotMatch(stdout + stderr, /^graspd: all is well/m);
      if (title !== 'sync') assert.match(stderr, /says: no\\x1b\[2J/);
    });
  }

  it('still gets its events to whoever reads them as JSON', async () => {
    const { stdout } = await run(at('read', '{"kinds":[1]}'), { directory });
    assert.deepEqual(JSON.parse(stdout), plain(event));
  });
});

describe('backup', () => {
  let directory;
  const author = new Author();
  const data = () => path.join(directory, 'relay', 'data.mdb');
  const command = (...parameters) => run(parameters, { directory });
  before(async () => {
    directory = await temporaryDirectory();
    const server = await Server.start({}, { directory });
    await (await server.connect()).publishAll(author.notes(50));
    await server.stop();
  });
  after(() => removeDirectory(directory));

  it('is for the eyes of its owner only', async () => {
    const { code, output } = await command('backup', 'backups/first');
    assert.equal(code, 0, output);
    const mode = async (name) => (await stat(path.join(directory, name))).mode & 0o777;
    assert.equal(await mode('backups'), 0o700);
    assert.equal(await mode('backups/first'), 0o700);
    assert.equal(await mode('backups/first/data.mdb'), 0o600);
  });

  it('replaces an earlier one when told', async () => {
    assert.equal((await command('backup', 'backups/again')).code, 0);
    const refused = await command('backup', 'backups/again');
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /--replace/);
    assert.equal((await command('backup', 'backups/again', '--replace')).code, 0);
  });

  it('of a damaged database fails, and leaves the earlier one as it was', async () => {
    assert.equal((await command('backup', 'backups/good')).code, 0);
    const good = await readFile(path.join(directory, 'backups/good/data.mdb'));
    const whole = await readFile(data());
    const damaged = Buffer.from(whole);
    const content = '"content":"note';
    for (let at = 0; (at = damaged.indexOf(content, at)) >= 0; at += content.length)
      damaged[at + content.length - 4] = 0x41;
    await writeFile(data(), damaged);
    for (const parameters of [['backups/good', '--replace'], ['backups/new']]) {
      const { code, stderr } = await command('backup', ...parameters);
      assert.equal(code, 1, stderr);
      assert.match(stderr, /data\.mdb is damaged: .*; put a backup in its place/);
    }
    assert.deepEqual(await readFile(path.join(directory, 'backups/good/data.mdb')), good);
    await assert.rejects(stat(path.join(directory, 'backups/new/data.mdb')));
    await writeFile(data(), whole);
    assert.equal((await command('backup', 'backups/good', '--replace')).code, 0);
  });
});

describe('a list', () => {
  const kNames = [
    'NGIT_REPOSITORY_WHITELIST',
    'NGIT_REPOSITORY_BLACKLIST',
    'NGIT_EVENT_BLACKLIST',
    'NGIT_ARCHIVE_WHITELIST',
  ];

  it('with an entry that is wrong stops the start, which names it', async (t) => {
    const directory = await folder(t);
    const author = new Author();
    const mistyped = npub(author).slice(0, -1) + (npub(author).endsWith('q') ? 'p' : 'q');
    for (const name of kNames) {
      for (const parameters of [['--check-config'], ['serve']]) {
        const settings = { [name]: `${npub(author)},${mistyped}` };
        const { code, stderr } = await run(parameters, { directory, settings });
        assert.equal(code, 2, `${name} ${parameters}`);
        assert.ok(stderr.includes(`"${mistyped}", which is no npub`), stderr);
      }
    }
  });

  it('takes keys in hex', async (t) => {
    const directory = await folder(t);
    for (const name of kNames) {
      const settings = { [name]: new Author().pubkey };
      const { code, stderr } = await run(['--check-config'], { directory, settings });
      assert.equal(code, 0, stderr);
    }
  });

  it('is read again on SIGHUP, and holds at once', async (t) => {
    const directory = await folder(t);
    const file = path.join(directory, 'blocked');
    const [first, second] = [new Author(), new Author()];
    await writeFile(file, `# nobody likes them\n${npub(first)}\n`);
    const server = await graspServer({ NGIT_EVENT_BLACKLIST: `@${file}` }, { directory });
    t.after(() => server.stop());
    const client = await server.connect();
    const answer = (owner) => client.publish(new Repository(server, { owner }).announcement());
    const isBlocked = async (owner) => /is blacklisted/.test((await answer(owner))[1]);
    assert.ok(await isBlocked(first));
    assert.deepEqual(await answer(second), [true, kInPurgatory]);

    await writeFile(file, `${second.pubkey} # hex\n`);
    server.child.kill('SIGHUP');
    await server.logged(/NGIT_EVENT_BLACKLIST: 1 entry, before 1/);
    assert.ok(await isBlocked(second));
    assert.ok(!(await isBlocked(first)));

    await writeFile(file, `${npub(first)}\nnobody\n`);
    server.child.kill('SIGHUP');
    await server.logged(/the lists stay as they were: .*blocked, whose line 2 has "nobody"/);
    assert.ok(await isBlocked(second), 'the old list stays');
    assert.ok(!(await isBlocked(first)));

    await writeFile(file, '');
    server.child.kill('SIGHUP');
    await server.logged(/NGIT_EVENT_BLACKLIST: 0 entries, before 1/);
    assert.ok(!(await isBlocked(second)));
    await client.alive();
  });

  it('in the configuration file is read again too, and other settings are not', async (t) => {
    const directory = await folder(t);
    const file = path.join(directory, 'settings');
    const author = new Author();
    await writeFile(file, 'NGIT_REPOSITORY_BLACKLIST=bad\n');
    const server = await graspServer({ NGIT_CONFIG_FILE: file }, { directory });
    t.after(() => server.stop());
    const client = await server.connect();
    await writeFile(file, `REPOSITORY_BLACKLIST=bad,${npub(author)}\nMAX_CONNECTIONS=1\n`);
    server.child.kill('SIGHUP');
    await server.logged(/NGIT_REPOSITORY_BLACKLIST: 2 entries, before 1/);
    await server.logged(/restart the server to change NGIT_MAX_CONNECTIONS/);
    const [accepted, text] = await client.publish(
      new Repository(server, { owner: author }).announcement(),
    );
    assert.ok(!accepted);
    assert.match(text, /is blacklisted/);
  });
});

describe('a machine', () => {
  const serve = (directory, settings) =>
    run(['serve'], { directory, settings: { NGIT_BIND_ADDRESS: '127.0.0.1:0', ...settings } });

  it('without git is noticed at the start', async (t) => {
    const directory = await folder(t);
    const { code, output } = await serve(directory, { PATH: directory });
    assert.equal(code, 2, output);
    assert.match(output, /git cannot be run: .*; install it/);
  });

  it('with an old git is noticed at the start', async (t) => {
    const directory = await folder(t);
    const bin = path.join(directory, 'bin');
    await mkdir(bin);
    await writeFile(path.join(bin, 'git'), '#!/bin/sh\necho git version 2.20.1\n');
    await chmod(path.join(bin, 'git'), 0o755);
    const { code, output } = await serve(directory, { PATH: `${bin}:${process.env.PATH}` });
    assert.equal(code, 2, output);
    assert.match(output, /git is too old: git version 2\.20\.1 is installed, 2\.37 or newer/);
  });
});

describe('a key that others can read', () => {
  it('is protected, with a warning', async (t) => {
    const directory = await folder(t);
    const file = path.join(directory, '.relay-owner.nsec');
    await writeFile(file, nip19.nsecEncode(new Author().secret));
    await chmod(file, 0o644);
    const server = await Server.start({}, { directory });
    t.after(() => server.stop());
    await server.logged(/warning +the owner's key: others could read .*\.relay-owner\.nsec \(mode 0644\)/);
    assert.equal((await stat(file)).mode & 0o777, 0o600);
  });

  it('is protected by client commands too', async (t) => {
    const directory = await folder(t);
    assert.equal((await run(['key', '--new', '--key-file', 'mine'], { directory })).code, 0);
    await chmod(path.join(directory, 'mine'), 0o644);
    const { code, stderr } = await run(['key', '--key-file', 'mine'], { directory });
    assert.equal(code, 0);
    assert.match(stderr, /warning: your key: others could read mine \(mode 0644\)/);
    assert.equal((await run(['key', '--key-file', 'mine'], { directory })).stderr, '');
  });
});

describe('sizes', () => {
  it('take units, wherever they are set', async (t) => {
    const directory = await folder(t);
    await writeFile(path.join(directory, '.env'), 'MAX_PACK_BYTES=1G\n');
    const settings = { NGIT_MIN_FREE_DISK_BYTES: '64 KiB', NGIT_MAX_HELD_BYTES: '1073741824' };
    const parameters = ['config', '--max-repository-bytes', '512m'];
    const { code, stdout, stderr } = await run(parameters, { directory, settings });
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^NGIT_MAX_PACK_BYTES +1G +\.env:1$/m);
    assert.match(stdout, /^NGIT_MIN_FREE_DISK_BYTES +64k +environment$/m);
    assert.match(stdout, /^NGIT_MAX_HELD_BYTES +1G +environment$/m);
    assert.match(stdout, /^NGIT_MAX_REPOSITORY_BYTES +512M +--max-repository-bytes$/m);
    for (const [value, words] of [
      ['1Q', /unit that is not known; write bytes, or a number with a unit: 64k, 512M, 4G/],
      ['5MB', /read in two ways; write 5M or 5MiB/],
      ['1.5G', /not a whole number of bytes/],
    ]) {
      const wrong = await run(['--check-config'], {
        directory,
        settings: { NGIT_MAX_PACK_BYTES: value },
      });
      assert.equal(wrong.code, 2, value);
      assert.match(wrong.stderr, words);
    }
  });
});

describe('the operator', () => {
  it('can be reached: NIP-11 and the start page say how', async (t) => {
    const server = await graspServer({ NGIT_RELAY_CONTACT: 'mailto:op@example.org' });
    t.after(() => server.stop());
    assert.equal((await server.information()).contact, 'mailto:op@example.org');
    const { body } = await server.get('/', { headers: { accept: 'text/html' } });
    assert.match(body, /Contact: <a href="mailto:op@example\.org"/);
  });
});

describe('/metrics', () => {
  it('is made once a second at most, however many ask', async (t) => {
    const directory = await folder(t);
    // Without NGIT_TEST, which would have every scrape see the present.
    const server = await Server.start(
      { NGIT_TEST: undefined, NGIT_TEST_LISTENER_FD: undefined, NGIT_BIND_ADDRESS: '127.0.0.1:0' },
      { directory, ready: false },
    );
    t.after(() => server.stop());
    const [, address] = await server.logged(/ on (127\.0\.0\.1:\d+)$/m);
    const scrape = async () => (await request(`http://${address}/metrics`)).body;
    // A burst may begin at the end of a second: it meets two texts at most.
    const began = Date.now();
    const texts = await Promise.all(Array.from({ length: 50 }, scrape));
    const seconds = Math.ceil((Date.now() - began) / 1000);
    assert.ok(new Set(texts).size <= seconds + 1, `${new Set(texts).size} texts in ${seconds} s`);
  });
});
