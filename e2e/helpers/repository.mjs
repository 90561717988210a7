// Repositories as people use them: signed events of NIP-34, and the real git in a folder of its own.
import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before } from 'node:test';
import { promisify } from 'node:util';
import * as nip19 from 'nostr-tools/nip19';
import { Author, now } from './events.mjs';
import { removeDirectory, Server, temporaryDirectory } from './harness.mjs';

const execute = promisify(execFile);

export const kInPurgatory = "purgatory: won't be served until git data arrives";

// Working copies go when the tests have ended, whatever became of them.
const copies = new Set();
process.on('exit', () =>
  copies.forEach((path_) => rmSync(path_, { recursive: true, force: true })),
);
async function copyDirectory() {
  const directory = await temporaryDirectory();
  copies.add(directory);
  return directory;
}

// Git as on a machine that nobody has configured, except for who commits.
export const gitEnvironment = (home) => ({
  PATH: process.env.PATH,
  HOME: home,
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_TERMINAL_PROMPT: '0',
  GIT_AUTHOR_NAME: 'A',
  GIT_AUTHOR_EMAIL: 'a@example.com',
  GIT_COMMITTER_NAME: 'C',
  GIT_COMMITTER_EMAIL: 'c@example.com',
  // What the tests write need not survive a power cut.
  GIT_CONFIG_COUNT: '1',
  GIT_CONFIG_KEY_0: 'core.fsync',
  GIT_CONFIG_VALUE_0: 'none',
  LC_ALL: 'C',
});

export class GitFailed extends Error {
  constructor(parameters, { code, stdout, stderr }) {
    super(`git ${parameters.join(' ')} ended with ${code}:\n${stderr}`);
    Object.assign(this, { code, stdout, stderr });
  }
}

// A working copy, or any folder in which git runs.
export class Checkout {
  static async create({ branch = 'main', directory } = {}) {
    const copy = new Checkout(directory ?? (await copyDirectory()));
    await mkdir(copy.directory, { recursive: true });
    await copy.git('init', '--quiet', '--initial-branch', branch);
    return copy;
  }
  static async clone(url, ...parameters) {
    const copy = new Checkout(await copyDirectory());
    await copy.git('clone', '--quiet', ...parameters, url, '.');
    return copy;
  }
  constructor(directory) {
    this.directory = directory;
  }

  // What it wrote to stdout, without the last line break; throws GitFailed.
  async git(...parameters) {
    return (await this.feed('', ...parameters)).toString().replace(/\n$/, '');
  }
  // The same with something to read, and its output as bytes.
  async feed(input, ...parameters) {
    const options = { cwd: this.directory, maxBuffer: 256 << 20, encoding: 'buffer' };
    options.env = { ...gitEnvironment(this.directory), ...this.environment };
    const running = execute('git', parameters, options);
    running.child.stdin.on('error', () => {}); // it may end without reading
    running.child.stdin.end(input);
    try {
      const { stdout, stderr } = await running;
      this.stderr = stderr.toString();
      return stdout;
    } catch (error) {
      const { code, stdout, stderr } = error;
      throw new GitFailed(parameters, { code, stdout: `${stdout}`, stderr: `${stderr}` });
    }
  }
  // The complaint of a git that must fail.
  async fails(...parameters) {
    const output = await this.git(...parameters).then(
      () => {
        throw new Error(`git ${parameters.join(' ')} succeeded`);
      },
      (error) => {
        if (!(error instanceof GitFailed)) throw error;
        return error.stderr;
      },
    );
    return output;
  }

  // Each is another commit, also when several are made in one second.
  async commit(message = `change ${++Checkout.count}`, files = { 'file.txt': message }) {
    for (const [name, content] of Object.entries(files)) {
      await mkdir(path.dirname(path.join(this.directory, name)), { recursive: true });
      await writeFile(path.join(this.directory, name), content);
    }
    await this.git('add', '--all');
    await this.git('commit', '--quiet', '--allow-empty', '--message', message);
    return this.git('rev-parse', 'HEAD');
  }

  // A commit that shares nothing with any other, on no branch.
  async orphan(message = 'from nothing') {
    const tree = (await this.feed('', 'mktree')).toString().trim();
    return this.git('commit-tree', '-m', `${message} ${++Checkout.count}`, tree);
  }
  static count = 0;
  async updateRefs(refs) {
    const lines = Object.entries(refs).map(([ref, oid]) => `update ${ref} ${oid}\n`);
    await this.feed(lines.join(''), 'update-ref', '--stdin');
  }
  // A pack of what these reach, as git sends it.
  async pack(...revisions) {
    return this.feed(
      revisions.map((one) => `${one}\n`).join(''),
      'pack-objects',
      '--revs',
      '--stdout',
      '-q',
    );
  }
  // Branches and tags as { 'refs/heads/main': oid }.
  async refs(...patterns) {
    const which = patterns.length > 0 ? patterns : ['refs/heads', 'refs/tags'];
    const lines = await this.git('for-each-ref', '--format=%(refname) %(objectname)', ...which);
    return Object.fromEntries(
      lines
        .split('\n')
        .filter(Boolean)
        .map((line) => line.split(' ')),
    );
  }
  async remove() {
    await removeDirectory(this.directory);
  }
}

export async function remoteRefs(url, ...parameters) {
  const lines = await new Checkout('/').git('ls-remote', ...parameters, url);
  return Object.fromEntries(
    lines
      .split('\n')
      .filter(Boolean)
      .map((line) => line.split('\t').reverse()),
  );
}

// A repository of somebody on some server.
export class Repository {
  constructor(server, { owner = new Author(), identifier = 'project' } = {}) {
    Object.assign(this, { server, owner, identifier, stateTime: now() - 600 });
  }
  get npub() {
    return nip19.npubEncode(this.owner.pubkey);
  }
  get path() {
    const base = this.server.settings.NGIT_BASE_PATH ?? '';
    return `${base}/${this.npub}/${encodeURIComponent(this.identifier)}.git`;
  }
  get url() {
    return `${this.server.origin}${this.path}`;
  }
  // As strangers write it, who know the server by its name.
  get publicUrl() {
    const domain = this.server.settings.NGIT_DOMAIN;
    return domain ? `http://${domain}${this.path}` : this.url;
  }
  get publicRelay() {
    const { NGIT_DOMAIN: domain, NGIT_BASE_PATH: base } = this.server.settings;
    return domain ? `ws://${domain}${base ?? ''}` : this.server.url;
  }
  get address() {
    return `30617:${this.owner.pubkey}:${this.identifier}`;
  }
  get directory() {
    return path.join(this.server.gitDirectory, this.npub, `${this.identifier}.git`);
  }

  announcement({ tags = [], maintainers = [], clone, relays, created_at, by = this.owner } = {}) {
    const own = by === this.owner ? this : new Repository(this.server, { ...this, owner: by });
    return by.sign({
      kind: 30617,
      created_at,
      tags: [
        ['d', this.identifier],
        ['name', 'A project'],
        ['clone', ...(clone ?? [own.publicUrl])],
        ['relays', ...(relays ?? [this.publicRelay])],
        ...(maintainers.length ? [['maintainers', ...maintainers.map((m) => m.pubkey)]] : []),
        ...tags,
      ],
    });
  }

  // `refs` as { 'refs/heads/main': oid }. Each is newer than the one before.
  state(refs, { head = 'refs/heads/main', by = this.owner, created_at, tags = [] } = {}) {
    created_at ??= ++this.stateTime;
    return by.sign({
      kind: 30618,
      created_at,
      tags: [
        ['d', this.identifier],
        ...Object.entries(refs),
        ...(head ? [['HEAD', `ref: ${head}`]] : []),
        ...tags,
      ],
    });
  }

  pullRequest(commit, { by = new Author(), tags = [], kind = 1618 } = {}) {
    return by.sign({
      kind,
      tags: [
        ['a', this.address],
        ['p', this.owner.pubkey],
        ['c', commit],
        ['clone', this.url],
        ['subject', 'a pull request'],
        ...tags,
      ],
    });
  }

  // The state's answer, [accepted, text].
  async declare(client, refs, options) {
    return client.publish(this.state(refs, options));
  }

  // Announced, with one commit on main, pushed and served.
  async publish(client, { checkout, state = {} } = {}) {
    const copy = checkout ?? (await Checkout.create());
    if (!checkout) await copy.commit();
    await client.publishAll([this.announcement()]);
    await client.publishAll([this.state(await copy.refs(), state)]);
    await copy.git('push', '--quiet', this.url, 'refs/heads/*', 'refs/tags/*');
    return copy;
  }
}

// On the server's disk.
export async function incoming(server) {
  return filesIn(path.join(server.gitDirectory, '.graspd', 'incoming'));
}
export async function quarantined(server) {
  return filesIn(path.join(server.gitDirectory, '.graspd', 'quarantine'));
}
async function filesIn(directory) {
  return readdir(directory).catch(() => []);
}
export async function onDisk(repository) {
  const copy = new Checkout(repository.directory);
  copy.environment = { GIT_DIR: repository.directory };
  return copy;
}

// The processes a server has started, and those they have: [{ pid, name, state }].
export async function processesOf(server) {
  const all = await Promise.all((await readdir('/proc')).filter(Number).map(processFacts));
  const family = new Set([server.child.pid]);
  const found = [];
  for (let before = -1; before !== found.length;) {
    before = found.length;
    for (const one of all) {
      if (!one || family.has(one.pid) || !family.has(one.parent)) continue;
      family.add(one.pid);
      found.push(one);
    }
  }
  return found;
}
async function processFacts(pid) {
  const text = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => null);
  const [, name, state, parent] = text?.match(/\((.*)\) (\S) (\d+)/) ?? [];
  return text && { pid: Number(pid), name, state, parent: Number(parent) };
}

// A server that hosts repositories.
export async function graspServer(settings = {}, options = {}) {
  const directory = options.directory ?? (await temporaryDirectory());
  const git = path.join(directory, 'git');
  const all = { NGIT_ACCEPT: 'grasp', NGIT_GIT_DATA_PATH: git, ...settings };
  const server = await Server.start(all, { ...options, directory });
  server.owned = options.directory === undefined;
  server.gitDirectory = git;
  return server;
}

// One of them for all tests of the surrounding describe(), with a client. Whatever clients do, the
// server has no reason to log an error.
export function sharedHost(settings = {}) {
  const shared = {};
  before(async () => {
    shared.server = await graspServer(settings);
    shared.client = await shared.server.connect();
  });
  after(async () => {
    await shared.server?.stop();
    const mistakes = shared.server?.output.match(/^\S+ (error|critical) .*$/gm) ?? [];
    if (mistakes.length > 0) throw new Error(`the server logged:\n${mistakes.join('\n')}`);
  });
  return shared;
}
