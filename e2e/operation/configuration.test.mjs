// Settings: where they come from, what is wrong with them, and the relay's key.
import assert from 'node:assert/strict';
import { chmod, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { nip19 } from 'nostr-tools';
import { Author } from '../helpers/events.mjs';
import { removeDirectory, run, Server, temporaryDirectory } from '../helpers/harness.mjs';

describe('settings', () => {
  let directory;
  before(async () => (directory = await temporaryDirectory()));
  after(() => removeDirectory(directory));
  const command = (parameters, settings) => run(parameters, { directory, settings });

  it('are shown with their value and where it came from', async () => {
    const file = path.join(directory, 'settings');
    await writeFile(
      file,
      '# comment\nMAX_CONNECTIONS=7\nexport NGIT_RELAY_NAME="from the file"\nRELAY_FILTER_LIMIT=9\n',
    );
    const settings = {
      NGIT_CONFIG_FILE: file,
      NGIT_RELAY_FILTER_LIMIT: '10',
      NGIT_MAX_EVENTS_PER_MINUTE: '11',
    };
    const { code, stdout } = await command(['config', '--max-events-per-minute', '12'], settings);
    assert.equal(code, 0);
    assert.match(stdout, /^NGIT_MAX_CONNECTIONS +7 +.*settings:2$/m);
    assert.match(stdout, /^NGIT_RELAY_NAME +from the file +.*settings:3$/m);
    assert.match(stdout, /^NGIT_RELAY_FILTER_LIMIT +10 +environment$/m);
    assert.match(stdout, /^NGIT_MAX_EVENTS_PER_MINUTE +12 +--max-events-per-minute$/m);
    assert.match(stdout, /^NGIT_RELAY_MAX_SUBSCRIPTIONS +500 +default$/m);
    assert.match(stdout, /^NGIT_DATABASE_BACKEND +lmdb +default$/m);
  });

  it('are read from .env in the working directory', async () => {
    const other = await temporaryDirectory();
    await writeFile(path.join(other, '.env'), 'NGIT_MAX_CONNECTIONS=8\n');
    assert.match(
      (await run(['config'], { directory: other })).stdout,
      /^NGIT_MAX_CONNECTIONS +8 +\.env:1$/m,
    );
    await removeDirectory(other);
  });

  it('never show the secret key', async () => {
    const nsec = nip19.nsecEncode(new Author().secret);
    const { code, output } = await command(['config'], { NGIT_RELAY_OWNER_NSEC: nsec });
    assert.equal(code, 0);
    assert.ok(!output.includes(nsec));
  });

  it('that leave a whitelist without an entry end the start, and tell the remedy', async () => {
    for (const name of ['NGIT_REPOSITORY_WHITELIST', 'NGIT_ARCHIVE_WHITELIST']) {
      const { code, output } = await command(['serve'], { [name]: ',' });
      assert.equal(code, 2);
      assert.match(output, new RegExp(`${name} \\(environment\\): "," names nobody`));
      assert.match(output, /name somebody, or remove the setting/);
    }
  });

  it('that are wrong are all named at once, with where and what to write instead', async () => {
    const settings = {
      NGIT_BIND_ADDRESS: 'localhost',
      NGIT_DATABASE_BACKEND: 'sqlite',
      NGIT_MAX_CONNECTIONS: '-1',
    };
    for (const parameters of [['serve'], ['--check-config'], ['config']]) {
      const { code, stderr } = await command(parameters, settings);
      assert.notEqual(code, 0, parameters[0]);
      for (const [name, value] of Object.entries(settings)) {
        assert.match(
          stderr,
          new RegExp(`${name} \\(environment\\): "${value}".*; `),
          parameters[0],
        );
      }
      assert.match(stderr, /lmdb/);
    }
  });

  for (const [name, value] of [
    ['NGIT_BASE_PATH', 'grasp'],
    ['NGIT_BASE_PATH', '/grasp/'],
    ['NGIT_BASE_PATH', '/a//b'],
    ['NGIT_BASE_PATH', '/a/../b'],
    ['NGIT_BIND_ADDRESS', '127.0.0.1'],
    ['NGIT_BIND_ADDRESS', '127.0.0.1:99999'],
    ['NGIT_DOMAIN', 'https://example.org/path'],
    ['NGIT_METRICS_ENABLED', 'maybe'],
    ['NGIT_TRUSTED_PROXY_CIDRS', '10.0.0.0/8,nonsense'],
    ['NGIT_RELAY_OWNER_NSEC', 'nsec1nonsense'],
    ['NGIT_LOG_LEVEL', 'loud'],
    ['NGIT_MAX_EVENTS_PER_MINUTE', '1.5'],
    ['NGIT_RELAY_MAX_EVENT_SIZE_BYTES', '99999999'],
    ['NGIT_ACCEPT', 'nobody'],
    ['NGIT_TEST_LISTENER_FD', '3'],
  ]) {
    it(`refuse ${name}=${value}`, async () => {
      const { code, stderr } = await command(['--check-config'], { [name]: value });
      assert.notEqual(code, 0);
      assert.match(stderr, new RegExp(name));
      if (name.endsWith('NSEC')) assert.ok(!stderr.includes(value));
    });
  }

  it('take the usual words for yes and no, and an empty value for none', async () => {
    for (const [word, value] of [
      ['true', 'true'],
      ['1', 'true'],
      ['YES', 'true'],
      ['on', 'true'],
      ['False', 'false'],
      ['0', 'false'],
      ['no', 'false'],
      ['off', 'false'],
      ['', 'true'],
    ]) {
      const { code, stdout } = await command(['config'], { NGIT_METRICS_ENABLED: word });
      assert.equal(code, 0, word);
      assert.match(stdout, new RegExp(`^NGIT_METRICS_ENABLED +${value} `, 'm'), word);
    }
  });

  it('that are right are said to be right', async () => {
    const { code } = await command(['--check-config'], { NGIT_DOMAIN: 'relay.example.org' });
    assert.equal(code, 0);
  });

  it('in a file that is not there stop the start', async () => {
    const { code, stderr } = await command(['config', '--config', 'absent']);
    assert.notEqual(code, 0);
    assert.match(stderr, /absent/);
  });

  it('that ask for a private service without members stop the start', async () => {
    const { code, stderr } = await command(['serve'], { NGIT_PRIVATE_MODE: 'true' });
    assert.equal(code, 2);
    assert.match(stderr, /^NGIT_PRIVATE_MODE is true without members/m);
  });

  it('that nobody knows are listed in one warning', async (t) => {
    const server = await Server.start({ NGIT_NONSENSE: '1', NGIT_SYNC_PLUS_ENABLED: 'true' });
    t.after(() => server.stop());
    const warnings = server.output.split('\n').filter((line) => line.includes('NGIT_NONSENSE'));
    assert.equal(warnings.length, 1, server.output);
    assert.match(warnings[0], /NGIT_SYNC_PLUS_ENABLED/);
  });

  it('make every line of the log a JSON object when asked to', async (t) => {
    const server = await Server.start({ NGIT_LOG_FORMAT: 'json', NGIT_NONSENSE: '"quoted"' });
    t.after(() => server.stop());
    const lines = server.output.split('\n').filter(Boolean);
    assert.ok(lines.length > 0);
    for (const line of lines) assert.equal(typeof JSON.parse(line), 'object');
  });

  it('are documented as they are', async () => {
    const { stdout } = await command(['config', '--markdown']);
    const names = (await command(['config'])).stdout.match(/^NGIT_\w+/gm);
    for (const name of names) assert.match(stdout, new RegExp(`\\| \`${name}\` \\|`));
  });
});

describe('the key of the relay', () => {
  let directory, file, logged;
  before(async () => {
    directory = await temporaryDirectory();
    file = path.join(directory, '.relay-owner.nsec');
  });
  after(() => removeDirectory(directory));
  const pubkeyOf = async (settings) => {
    const server = await Server.start(settings, { directory });
    const { pubkey } = await server.information();
    await server.stop();
    logged = server.output;
    return pubkey;
  };

  it('is made once, for its owner only, and kept', async () => {
    const pubkey = await pubkeyOf();
    assert.ok(!logged.includes('nsec1'));
    assert.equal((await stat(file)).mode & 0o777, 0o600);
    const { data } = nip19.decode((await readFile(file, 'utf8')).trim());
    assert.equal(new Author(data).pubkey, pubkey);
    assert.equal(await pubkeyOf(), pubkey);
  });

  it('is made private again when it is not', async () => {
    await chmod(file, 0o644);
    await pubkeyOf();
    assert.equal((await stat(file)).mode & 0o777, 0o600);
  });

  it('may come from the environment, or from a credential before that', async () => {
    const [one, two] = [new Author(), new Author()];
    const NGIT_RELAY_OWNER_NSEC = nip19.nsecEncode(one.secret);
    assert.equal(await pubkeyOf({ NGIT_RELAY_OWNER_NSEC }), one.pubkey);
    await writeFile(path.join(directory, 'relay_owner_nsec'), `${nip19.nsecEncode(two.secret)}\n`);
    assert.equal(
      await pubkeyOf({ NGIT_RELAY_OWNER_NSEC, CREDENTIALS_DIRECTORY: directory }),
      two.pubkey,
    );
  });

  it('stops the start when it is there but wrong', async () => {
    for (const text of ['', 'nonsense', 'nsec1qqqq']) {
      await writeFile(file, text);
      const server = await Server.start({}, { directory, ready: false });
      const { code } = await server.exit();
      assert.notEqual(code, 0, text);
      assert.match(server.output, /\.relay-owner\.nsec/);
      assert.equal(await readFile(file, 'utf8'), text);
    }
  });
});
