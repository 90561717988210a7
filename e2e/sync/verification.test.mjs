// Git data is looked up, not believed: what is wrong on disk is found, set right from the signed
// state or fetched again from a peer, and told.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdir, readFile, rm, stat, truncate } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { Forge } from '../helpers/git_forge.mjs';
import { loseDirectory, run, until } from '../helpers/harness.mjs';
import { Checkout, onDisk, remoteRefs } from '../helpers/repository.mjs';
import { SharedRepository, status, syncServer } from '../helpers/sync_servers.mjs';

const kSlow = 20_000;

// Until /api/sync says of the repository what is wanted.
async function reported(server, repository, wanted, what) {
  let last;
  const found = async () => {
    const { repositories } = await status(server);
    last = repositories.find(({ address }) => address === repository.address);
    return last && wanted(last) && last;
  };
  return until(found, () => `${what}; it said ${JSON.stringify(last)}`, kSlow);
}
const isWell = ({ synced_at, verified_at, behind, problem }) =>
  synced_at && verified_at && !behind && !problem;
const verified = (server, repository) => reported(server, repository, isWell, 'verification');

const page = async (server, repository) =>
  (await server.get(repository.on(server).path, { raw: true })).body;

const packsOf = async (directory) =>
  (await readdir(path.join(directory, 'objects', 'pack')))
    .filter((name) => name.endsWith('.pack'))
    .map((name) => path.join(directory, 'objects', 'pack', name));

// Every object in a file of its own.
async function unpack(directory) {
  const bare = new Checkout(directory);
  for (const pack of await packsOf(directory)) {
    const bytes = await readFile(pack);
    for (const ending of ['pack', 'idx', 'rev', 'bitmap']) {
      await rm(pack.replace(/pack$/, ending), { force: true });
    }
    await bare.feed(bytes, '--git-dir=.', 'unpack-objects', '-q');
  }
}
const fileOf = (directory, oid) =>
  path.join(directory, 'objects', oid.slice(0, 2), oid.slice(2));

const isWhole = (directory) =>
  new Checkout(directory).git('--git-dir=.', 'fsck', '--full', '--strict').then(
    () => true,
    () => false,
  );

describe('A server that looks after its repositories', () => {
  let a, b;
  before(async () => {
    a = await syncServer({ NGIT_VERIFY_INTERVAL_SECS: '0' });
    b = await syncServer({ NGIT_VERIFY_INTERVAL_SECS: '1' });
  });
  after(() => Promise.all([a.stop(), b.stop()]));

  // On both servers, with two commits, and verified on ours.
  async function published() {
    const repository = new SharedRepository([a, b]);
    const checkout = await Checkout.create();
    const first = await checkout.commit();
    await checkout.commit();
    await repository.publishOn([a, b], { checkout });
    await verified(b, repository);
    const directory = repository.on(b).directory;
    return { repository, checkout, first, directory, refs: await checkout.refs() };
  }

  it('says when it synced and verified what is well', async () => {
    const { repository } = await published();
    const said = await reported(
      b,
      repository,
      (now) => isWell(now) && now.compared_at,
      'a comparison',
    );
    assert.ok(said.hosted);
    assert.equal(said.compared_with, repository.on(a).url);
    assert.equal(said.difference, '');
    const html = await page(b, repository);
    assert.match(html, /Synced with the signed state \d+ s ago/);
    assert.match(html, /Verified, object by object, \d+ s ago/);
    assert.match(html, /ago: the same/);
    assert.ok((await b.metric('ngit_git_verified_repositories')) >= 1);
    assert.equal(await b.metric('ngit_git_broken_repositories'), 0);
    const { body } = await b.get('/sync');
    assert.match(body, /data-label="Git verified"><bdi>\d+ s ago/);
    const table = await run(['status', '--url', b.origin], { directory: b.directory });
    assert.match(table.stdout, /SYNCED +VERIFIED +RELAYS\nproject .* \d+ s ago +\d+ s ago/);
  });

  it('looks again, and again', async () => {
    const { repository } = await published();
    const { verified_at } = await verified(b, repository);
    await reported(b, repository, (now) => now.verified_at > verified_at, 'another look');
  });

  it('sets a ref right that was moved by hand', async () => {
    const { repository, first, directory, refs } = await published();
    const failures = await b.metric('ngit_git_verification_failures_total');
    const bare = new Checkout(directory);
    // In one transaction: between two the server might set the first right.
    const moved = ['main', 'unsigned'].map((name) => `update refs/heads/${name} ${first}\n`);
    await bare.feed(moved.join(''), '--git-dir=.', 'update-ref', '--stdin');
    const same = async () =>
      JSON.stringify(await remoteRefs(repository.on(b).url, '--refs')) === JSON.stringify(refs);
    await until(same, 'the signed refs', kSlow);
    await b.logged(/was not as signed, and is set right: refs\/heads\/main is at .*, and 1 more/);
    const found = async () => (await b.metric('ngit_git_verification_failures_total')) > failures;
    await until(found, 'the failure to be counted');
    await verified(b, repository);
  });

  const losses = {
    'one object': async ({ directory, first }) => {
      await unpack(directory);
      await rm(fileOf(directory, first));
    },
    'the object a branch stands at': async ({ directory, refs }) => {
      await unpack(directory);
      await rm(fileOf(directory, refs['refs/heads/main']));
    },
    'all objects': async ({ directory }) => {
      await rm(path.join(directory, 'objects', 'pack'), { recursive: true });
    },
    'the end of a pack': async ({ directory }) => {
      for (const pack of await packsOf(directory)) await truncate(pack, 40);
    },
    'the whole folder': async ({ directory }) => loseDirectory(directory),
  };
  for (const [what, lose] of Object.entries(losses)) {
    it(`fetches what is lost from a peer: ${what}`, async () => {
      const it_ = await published();
      const { verified_at } = await verified(b, it_.repository);
      await lose(it_);
      await until(() => isWhole(it_.directory), 'all objects', kSlow);
      await reported(b, it_.repository, (now) => isWell(now) && now.verified_at > verified_at, 'it');
      const refs = await remoteRefs(it_.repository.on(b).url, '--refs');
      assert.deepEqual(refs, it_.refs);
      const clone = await Checkout.clone(it_.repository.on(b).url);
      assert.deepEqual(await clone.refs('refs/heads'), it_.refs);
    });
  }
});

describe('A pull request that was accepted', () => {
  let a, b, forge;
  before(async () => {
    a = await syncServer({ NGIT_VERIFY_INTERVAL_SECS: '0' });
    b = await syncServer({ NGIT_VERIFY_INTERVAL_SECS: '1' });
    forge = await Forge.start();
  });
  after(() => Promise.all([a.stop(), b.stop(), forge.stop()]));

  // In a repository that these servers host, ours among them.
  async function proposed({ on, clone = [] }) {
    const repository = new SharedRepository(on);
    const checkout = await repository.publishOn(on);
    const commit = await checkout.commit();
    for (const name of clone) await forge.hold(name, checkout, { 'refs/heads/proposal': commit });
    const tags = clone.length ? [['clone', ...clone.map((name) => forge.url(name))]] : [];
    const pull = repository.on(b).pullRequest(commit, { tags });
    const ref = `refs/nostr/${pull.id}`;
    for (const server of on) {
      const client = await server.connect();
      await client.publishAll([pull]);
      await checkout.git('push', '--quiet', repository.on(server).url, `${commit}:${ref}`);
      client.close();
    }
    const { directory } = repository.on(b);
    const { verified_at } = await verified(b, repository);
    await reported(b, repository, (now) => now.verified_at > verified_at, 'a look');
    const bare = new Checkout(directory);
    return {
      repository,
      commit,
      directory,
      isThere: () => bare.git('--git-dir=.', 'cat-file', '-e', commit).then(() => true, () => false),
      hasRef: async () => (await remoteRefs(repository.on(b).url, '--refs'))[ref] === commit,
      loseRef: () => bare.git('--git-dir=.', 'update-ref', '-d', ref),
      loseCommit: async () => {
        await unpack(directory);
        await rm(fileOf(directory, commit));
      },
    };
  }

  it('is looked after like a branch: its lost commit is fetched from a peer', async () => {
    const pull = await proposed({ on: [a, b] });
    await pull.loseCommit();
    await until(pull.isThere, 'the commit', kSlow);
    await verified(b, pull.repository);
    assert.ok(await pull.hasRef());
  });

  it('is fetched from where it says when no other server has it', async () => {
    const pull = await proposed({ on: [b], clone: ['theirs'] });
    assert.equal(forge.asked('theirs'), 0);
    await pull.loseCommit();
    await until(pull.isThere, 'the commit', kSlow);
    await verified(b, pull.repository);
    assert.ok(await pull.hasRef());
  });

  it('gets its ref back when only that is gone', async () => {
    const pull = await proposed({ on: [b] });
    await pull.loseRef();
    await until(pull.hasRef, 'the ref', kSlow);
    await b.logged(/has lost refs of pull requests: 1, of which 1 is set again/);
  });

  it('gets its ref back when both are gone, and does not harm the repository meanwhile', async () => {
    const pull = await proposed({ on: [b], clone: ['away'] });
    forge.habits.set('away', (_, response) => response.writeHead(404).end());
    await pull.loseCommit();
    await pull.loseRef();
    await until(() => forge.asked('away') > 0, 'the search', kSlow);
    await verified(b, pull.repository);
    assert.ok(!(await pull.hasRef()));
    forge.habits.delete('away');
    await until(pull.hasRef, 'the ref', kSlow);
    assert.ok(await pull.isThere());
  });
});

describe('A server whose repositories have a quota', () => {
  let a, b;
  const settings = { NGIT_VERIFY_INTERVAL_SECS: '1', NGIT_MAX_REPOSITORY_BYTES: `${1024 * 1024}` };
  before(async () => {
    [a, b] = await Promise.all([syncServer(), syncServer(settings)]);
  });
  after(() => Promise.all([a.stop(), b.stop()]));

  it('repairs one that fills more than half of it', async () => {
    const repository = new SharedRepository([a, b]);
    const checkout = await Checkout.create();
    await checkout.commit('noise', { noise: randomBytes(700 * 1024) });
    await repository.publishOn([a, b], { checkout });
    const { directory, url } = repository.on(b);
    const pushed = () => checkout.git('push', '--quiet', url, 'main').then(() => true, () => false);
    const nextState = async () => {
      const client = await b.connect();
      await client.publishAll([repository.state(await checkout.refs())]);
      client.close();
    };
    const tip = await checkout.commit();
    await nextState();
    assert.ok(await pushed());
    const atPeer = async () =>
      (await remoteRefs(repository.on(a).url, '--refs'))['refs/heads/main'] === tip;
    await until(atPeer, 'the peer to follow', kSlow);
    await verified(b, repository);

    const sizes = await Promise.all(
      (await packsOf(directory)).map(async (pack) => ({ pack, size: (await stat(pack)).size })),
    );
    const { pack } = sizes.reduce((least, next) => (next.size < least.size ? next : least));
    assert.equal(sizes.length, 2);
    await rm(pack);
    await rm(pack.replace(/pack$/, 'idx'));
    await until(() => isWhole(directory), 'all objects', kSlow);
    await verified(b, repository);
    // What is there twice does not count for long.
    await checkout.commit();
    await nextState();
    await until(pushed, 'space for a push', kSlow);
  });
});

describe('A server whose peer has gone', () => {
  let a, b, repository, directory, first;
  before(async () => {
    a = await syncServer();
    b = await syncServer({ NGIT_VERIFY_INTERVAL_SECS: '1' });
    repository = new SharedRepository([a, b]);
    const checkout = await Checkout.create();
    first = await checkout.commit();
    await checkout.commit();
    await repository.publishOn([a, b], { checkout });
    directory = repository.on(b).directory;
    await verified(b, repository);
    a.owned = false;
    await a.kill();
  });
  after(() => Promise.all([a.stop(), b.stop()]));

  // Stops it, if it runs, and begins again where it was.
  async function restart(server, settings = {}) {
    const { directory: folder, port } = server;
    server.owned = false;
    await server.stop();
    const next = await syncServer(settings, { directory: folder, port });
    next.owned = true;
    return next;
  }

  it('says what is lost, and what to do', async () => {
    await unpack(directory);
    await rm(fileOf(directory, first));
    const isBroken = ({ problem, behind, verified_at }) => problem && !behind && verified_at;
    const { problem } = await reported(b, repository, isBroken, 'the loss');
    assert.equal(problem, 'objects are missing in its history');
    await b.logged(/WARN.*has lost objects: objects are missing in its history; they are fetched/i);
    const html = await page(b, repository);
    assert.match(html, /Not verified: <bdi>objects are missing in its history<\/bdi>\. Last OK/);
    assert.match(html, /Synced with the signed state/);
    assert.equal(await b.metric('ngit_git_broken_repositories'), 1);
    const labels = { not: 'verified', reason: 'objects are missing in its history' };
    const wellAt = await b.metric('ngit_git_repository_in_trouble', labels);
    assert.ok(Math.abs(wellAt - Date.now() / 1000) < 60, `${wellAt}`);
    assert.match((await b.get('/sync')).body, /tone warn">objects are missing in its history/);
    const table = await run(['status', '--url', b.origin], { directory: b.directory });
    assert.equal(table.code, 1);
    assert.match(table.stdout, /git data of 1 repository is damaged/);
  });

  it('is repaired by an ordinary push', async () => {
    const other = new SharedRepository([b]);
    const checkout = await Checkout.create();
    const lost = await checkout.commit();
    await checkout.commit();
    await other.publishOn([b], { checkout });
    await verified(b, other);
    const folder = other.on(b).directory;
    await unpack(folder);
    await rm(fileOf(folder, lost));
    await reported(b, other, ({ problem }) => problem, 'the loss');
    await checkout.git('push', '--quiet', other.on(b).url, 'main');
    await verified(b, other);
    assert.ok(await isWhole(folder));
    assert.deepEqual(await remoteRefs(other.on(b).url, '--refs'), await checkout.refs());
    await checkout.git('push', other.on(b).url, 'main');
    assert.match(checkout.stderr, /up-to-date/);
  });

  it('remembers it over a restart, and is content when the peer is back', async () => {
    b = await restart(b, { NGIT_VERIFY_INTERVAL_SECS: '3600' }); // nobody looks again so soon
    await reported(b, repository, ({ problem, verified_at }) => problem && verified_at, 'the loss');
    assert.equal(await b.metric('ngit_git_verifications_total'), 0);
    a = await restart(a);
    b = await restart(b, { NGIT_VERIFY_INTERVAL_SECS: '1' });
    await verified(b, repository);
    assert.ok(await isWhole(directory));
  });
});

describe('A server whose newest state waits for its data', () => {
  let a;
  before(async () => {
    a = await syncServer({ NGIT_GIT_FETCH_ENABLED: 'false' });
  });
  after(() => a.stop());

  it('is verified, and not synced', async () => {
    const repository = new SharedRepository([a]);
    const copy = await repository.publishOn([a]);
    await verified(a, repository);
    await copy.commit();
    const client = await a.connect();
    await client.publishAll([repository.state(await copy.refs())]);
    const waits = ({ behind, problem, verified_at }) => behind && !problem && verified_at;
    const said = await reported(a, repository, waits, 'the wait');
    assert.equal(said.behind, 'a newer state waits for its git data');
    const labels = { not: 'synced', reason: said.behind };
    assert.ok((await a.metric('ngit_git_repository_in_trouble', labels)) > 0);
    assert.match(await page(a, repository), /Not synced with the signed state: .*a newer state waits/);
    await copy.git('push', '--quiet', repository.on(a).url, 'main');
    await verified(a, repository);
    client.close();
    assert.ok(await isWhole((await onDisk(repository)).directory));
  });
});
