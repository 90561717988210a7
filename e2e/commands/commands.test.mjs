// The commands beside serve: what they do, say and return.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { Author, ids, randomHex } from '../helpers/events.mjs';
import { binary, removeDirectory, run, Server, temporaryDirectory } from '../helpers/harness.mjs';

const lines = (text) =>
  text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
const asLines = (events) => events.map((event) => JSON.stringify(event) + '\n').join('');

describe('import and export', () => {
  const author = new Author();
  let directory;
  before(async () => (directory = await temporaryDirectory()));
  after(() => removeDirectory(directory));

  it('carry events over unchanged, in the order they were accepted', async () => {
    const events = author.notes(300).sort(() => Math.random() - 0.5);
    const imported = await run(['import'], { directory, input: asLines(events) });
    assert.equal(imported.code, 0, imported.output);
    assert.match(imported.output, /\b300\b/);
    const exported = await run(['export'], { directory });
    assert.equal(exported.code, 0, exported.output);
    assert.deepEqual(lines(exported.stdout), events);
  });

  it('find nothing new the second time', async () => {
    const { stdout } = await run(['export'], { directory });
    const again = await run(['import'], { directory, input: stdout });
    assert.equal(again.code, 0, again.output);
    assert.equal((await run(['export'], { directory })).stdout, stdout);
  });

  it('name bad lines, import the rest, and say so by the exit code', async () => {
    const good = author.notes(3, { from: 1_600_000_000 });
    const forged = { ...author.sign({ content: 'forged' }), sig: randomHex(64) };
    const wrong = { ...author.sign({ content: 'wrong' }), id: randomHex(32) };
    const input = [
      JSON.stringify(good[0]),
      'nonsense',
      JSON.stringify(good[1]),
      JSON.stringify(forged),
      '',
      JSON.stringify(wrong),
      JSON.stringify(good[2]),
    ].join('\n');
    const { code, output } = await run(['import'], { directory, input });
    assert.equal(code, 1, output);
    for (const line of [2, 4, 6]) assert.match(output, new RegExp(`\\b${line}\\b`));
    const exported = lines(
      (await run(['export', '--filter', '{"until":1650000000}'], { directory })).stdout,
    );
    assert.deepEqual(ids(exported), ids(good).reverse());
  });

  it('read and write files, with a last line that does not end', async () => {
    const other = await temporaryDirectory();
    const events = author.notes(5);
    await writeFile(path.join(other, 'in.jsonl'), asLines(events).trimEnd());
    assert.equal((await run(['import', 'in.jsonl'], { directory: other })).code, 0);
    assert.equal((await run(['export', 'out.jsonl'], { directory: other })).code, 0);
    assert.equal(await readFile(path.join(other, 'out.jsonl'), 'utf8'), asLines(events));
    await removeDirectory(other);
  });

  it('apply deletions as they would have happened', async () => {
    const other = await temporaryDirectory();
    const event = author.sign({ content: 'to be deleted' });
    const deletion = author.deletion([['e', event.id]]);
    await run(['import'], { directory: other, input: asLines([event, deletion, event]) });
    assert.deepEqual(ids(lines((await run(['export'], { directory: other })).stdout)), [
      deletion.id,
    ]);
    await removeDirectory(other);
  });

  it('complain about a file or a filter that is not there', async () => {
    const absent = await run(['import', 'absent.jsonl'], { directory });
    assert.notEqual(absent.code, 0);
    assert.match(absent.stderr, /absent\.jsonl/);
    const folder = await run(['import', '.'], { directory });
    assert.notEqual(folder.code, 0);
    assert.match(folder.stderr, /reading \. failed/);
    const filter = await run(['export', '--filter', '{"kinds":'], { directory });
    assert.notEqual(filter.code, 0);
    assert.match(filter.stderr, /filter/i);
    assert.equal(filter.stdout, '');
  });
});

describe('commands beside a running server', () => {
  const author = new Author();
  const events = author.notes(200);
  let server;
  before(async () => {
    server = await Server.start();
    await (await server.connect()).publishAll(events);
  });
  after(() => server.stop());
  const command = (...parameters) => run(parameters, { directory: server.directory });

  it('export works', async () => {
    const { code, stdout } = await command(
      'export',
      '--filter',
      JSON.stringify({ authors: [author.pubkey] }),
    );
    assert.equal(code, 0);
    assert.deepEqual(lines(stdout), [...events].reverse());
  });

  it('check works', async () => {
    for (const parameters of [['check'], ['check', '--signatures']]) {
      const { code, output } = await command(...parameters);
      assert.equal(code, 0, output);
      assert.match(output, /\b200\b/);
    }
  });

  it('backup copies a moment that can be served', async (t) => {
    const copy = path.join(server.directory, 'copy');
    const { code, output } = await command('backup', copy);
    assert.equal(code, 0, output);
    await (await server.connect()).publish(author.sign({ content: 'after the backup' }));
    const restored = await Server.start({ NGIT_RELAY_DATA_PATH: copy });
    t.after(() => restored.stop());
    const found = await (await restored.connect()).query({ authors: [author.pubkey] });
    assert.deepEqual(new Set(ids(found)), new Set(ids(events)));
  });

  it('backup does not overwrite', async () => {
    const copy = path.join(server.directory, 'twice');
    assert.equal((await command('backup', copy)).code, 0);
    const { code, stderr } = await command('backup', copy);
    assert.notEqual(code, 0);
    assert.match(stderr, /twice/);
  });

  it('import and compact refuse, since a database has one writer', async () => {
    for (const parameters of [['import'], ['compact']]) {
      const { code, stderr } = await command(...parameters);
      assert.notEqual(code, 0, parameters[0]);
      assert.match(stderr, /./);
    }
    await (await server.connect()).alive();
  });
});

describe('compact', () => {
  it('gives space back and loses nothing', async (t) => {
    const directory = await temporaryDirectory();
    t.after(() => removeDirectory(directory));
    const author = new Author();
    const gone = Array.from({ length: 100 }, (_, i) =>
      author.sign({ created_at: 1_700_000_000 + i, content: 'x'.repeat(20_000) }),
    );
    const kept = author.notes(10);
    const deletion = author.deletion(gone.map((event) => ['e', event.id]));
    await run(['import'], { directory, input: asLines([...gone, ...kept, deletion]) });
    const size = async () => (await readFile(path.join(directory, 'relay', 'data.mdb'))).length;
    const before_ = await size();
    const { code, output } = await run(['compact'], { directory });
    assert.equal(code, 0, output);
    assert.ok((await size()) < before_ / 2, `${await size()} of ${before_}`);
    assert.deepEqual(
      ids(lines((await run(['export'], { directory })).stdout)),
      ids([...kept, deletion]),
    );
    assert.equal((await run(['check', '--signatures'], { directory })).code, 0);
  });
});

describe('check', () => {
  it('finds an event that was changed on disk', async (t) => {
    const directory = await temporaryDirectory();
    t.after(() => removeDirectory(directory));
    const mark = randomHex(16);
    const events = [...new Author().notes(20), new Author().sign({ content: mark })];
    await run(['import'], { directory, input: asLines(events) });
    assert.equal((await run(['check', '--signatures'], { directory })).code, 0);
    const file = path.join(directory, 'relay', 'data.mdb');
    const bytes = await readFile(file);
    const place = bytes.indexOf(mark);
    assert.ok(place > 0);
    bytes.write('g', place);
    await writeFile(file, bytes);
    const { code, output } = await run(['check', '--signatures'], { directory });
    assert.equal(code, 1, output);
    assert.match(output, /\b1 problem/);
  });
});

describe('a damaged database', () => {
  const commands = [['serve'], ['import'], ['export'], ['check'], ['compact'], ['backup', 'copy']];
  const damages = {
    'cut to half': (bytes) => bytes.subarray(0, bytes.length / 2),
    'empty': () => Buffer.alloc(0),
    'cut in its first page': (bytes) => bytes.subarray(0, 1000),
    'overwritten from its third page on': (bytes) => bytes.fill(0xa5, 2 * 4096),
    'overwritten with zeros': (bytes) => bytes.fill(0),
  };
  for (const [title, damage] of Object.entries(damages)) {
    it(`that is ${title} is refused by every command, with a remedy`, async (t) => {
      const directory = await temporaryDirectory();
      t.after(() => removeDirectory(directory));
      await run(['import'], { directory, input: asLines(new Author().notes(500)) });
      const file = path.join(directory, 'relay', 'data.mdb');
      const damaged = damage(await readFile(file));
      await writeFile(file, damaged);
      const settings = { NGIT_ACCEPT: 'open', NGIT_BIND_ADDRESS: '127.0.0.1:0' };
      for (const parameters of commands) {
        const { code, output } = await run(parameters, { directory, settings });
        assert.equal(code, 1, `${parameters[0]}: ${output}`);
        assert.match(output, /data\.mdb is damaged: .*backup/, parameters[0]);
      }
      assert.ok(damaged.equals(await readFile(file)), 'it was changed');
    });
  }
});

describe('closed standard streams', () => {
  it('do not become the database', async (t) => {
    const directory = await temporaryDirectory();
    t.after(() => removeDirectory(directory));
    const event = new Author().sign({ content: 'kept' });
    await writeFile(path.join(directory, 'in.jsonl'), `nonsense\n${asLines([event])}`);
    const shell = spawn('/bin/sh', ['-c', 'exec "$0" import in.jsonl 0<&- 1>&- 2>&-', binary], {
      cwd: directory,
      env: { NGIT_RELAY_DATA_PATH: path.join(directory, 'relay') },
      stdio: 'ignore',
    });
    const [code] = await once(shell, 'exit');
    assert.equal(code, 1); // one bad line
    assert.deepEqual(ids(lines((await run(['export'], { directory })).stdout)), [event.id]);
    assert.equal((await run(['check'], { directory })).code, 0);
  });
});

describe('the command line', () => {
  let directory;
  before(async () => (directory = await temporaryDirectory()));
  after(() => removeDirectory(directory));

  it('helps', async () => {
    for (const parameters of [['--help'], ['-h']]) {
      const { code, stdout } = await run(parameters, { directory });
      assert.equal(code, 0);
      for (const word of [
        'serve',
        'import',
        'export',
        'check',
        'compact',
        'backup',
        'config',
        '--bind-address',
      ])
        assert.match(stdout, new RegExp(word));
    }
    const [some, all] = [await run(['--help'], { directory }), await run(['--help-all'], { directory })];
    assert.doesNotMatch(some.stdout, /--query-threads/);
    assert.match(all.stdout, /--query-threads/);
    assert.match((await run(['backup', '--help'], { directory })).stdout, /DIRECTORY/);
  });

  it('tells test suites that it takes a socket from them', async () => {
    const { code, stdout } = await run(['--internal-test-listener-support'], { directory });
    assert.deepEqual([code, stdout], [0, 'ngit-test-listener-v1\n']);
  });

  it('tells its version, the one NIP-11 tells', async (t) => {
    const { code, stdout } = await run(['--version'], { directory });
    assert.equal(code, 0);
    const server = await Server.start();
    t.after(() => server.stop());
    assert.equal(stdout, `graspd ${(await server.information()).version}\n`);
  });

  it('refuses what it does not know, with exit code 2', async () => {
    for (const parameters of [
      ['nonsense'],
      ['--nonsense'],
      ['backup'],
      ['serve', '--max-connections'],
    ]) {
      const { code, stderr } = await run(parameters, { directory });
      assert.equal(code, 2, parameters.join(' '));
      assert.match(stderr, /--help/);
    }
  });

  it('refuses commands on a database that is not there', async () => {
    for (const parameters of [['check'], ['export'], ['compact'], ['backup', 'copy']]) {
      const { code, stderr } = await run(parameters, { directory });
      assert.notEqual(code, 0, parameters[0]);
      assert.match(stderr, /relay/, parameters[0]);
    }
  });
});
