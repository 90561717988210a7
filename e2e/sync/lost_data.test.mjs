// A repository whose data is lost is neither synced nor verified, is repaired, and is never served
// as an empty one.
import assert from 'node:assert/strict';
import { cp, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { loseDirectory, run, until } from '../helpers/harness.mjs';
import { Checkout, GitFailed, remoteRefs, Repository } from '../helpers/repository.mjs';
import { SharedRepository, status, syncServer } from '../helpers/sync_servers.mjs';

const kSlow = 30_000;
const kSeldom = { NGIT_VERIFY_INTERVAL_SECS: '3600' }; // nobody walks again during a test

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
const isLost = ({ behind, problem }) => behind && problem;
const verified = (server, repository) => reported(server, repository, isWell, 'verification');

// Stops it, does something to its folders, and begins again where it was.
async function restarted(server, settings, meanwhile = async () => {}) {
  server.owned = false;
  await server.stop();
  await meanwhile();
  const next = await syncServer(settings, { directory: server.directory, port: server.port });
  next.owned = true;
  return next;
}
const loseGitData = (server) => () => rm(server.gitDirectory, { recursive: true });

// As a backup is brought back: the same files in a folder that was made anew.
async function restore(directory, copy) {
  await cp(copy, `${directory}~`, { recursive: true, preserveTimestamps: true });
  // The server may make an empty one in between.
  const replaced = async () => {
    await rename(directory, `${directory}-old`).catch(() => {});
    await rm(`${directory}-old`, { recursive: true, force: true });
    return rename(`${directory}~`, directory).then(() => true, () => false);
  };
  await until(replaced, 'the folder to be put back');
}

// A clone, or why there is none: never an empty one.
async function cloned(url, refs) {
  let clone;
  try {
    clone = await Checkout.clone(url);
  } catch (error) {
    if (!(error instanceof GitFailed)) throw error;
    assert.match(error.stderr, /503/);
    return { refused: error.stderr };
  }
  assert.deepEqual(await clone.refs('refs/heads'), refs, 'not an empty repository');
  return { clone };
}

async function publish(servers) {
  const repository = new SharedRepository(servers);
  const checkout = await Checkout.create();
  await checkout.commit();
  await checkout.commit();
  await repository.publishOn(servers, { checkout });
  const ours = servers.at(-1);
  await verified(ours, repository);
  return { repository, checkout, refs: await checkout.refs(), ...hostedAt(repository, ours) };
}
const hostedAt = (repository, server) => {
  const { directory, url, path: path_ } = repository.on(server);
  return { directory, url, path: path_ };
};

describe('A database that was restored without its git data', () => {
  it('has it fetched again from another server of the announcement', async (t) => {
    const a = await syncServer({ NGIT_VERIFY_INTERVAL_SECS: '0' });
    let b = await syncServer(kSeldom);
    t.after(() => Promise.all([a.stop(), b.stop()]));
    const { repository, refs, url } = await publish([a, b]);
    b = await restarted(b, kSeldom, loseGitData(b));
    const served = async () => (await cloned(url, refs)).clone;
    await until(served, 'a clone', kSlow);
    await b.logged(/warn.*lacks what its signed state declares: all of its branches and tags/i);
    await b.logged(/has again what its signed state declares/);
    await verified(b, repository);
    assert.equal(await b.metric('ngit_git_incomplete_repositories'), 0);
    assert.ok((await b.metric('ngit_git_losses_total')) >= 1);
  });

  it('says so everywhere, and takes a push, when nobody else has it', async (t) => {
    let b = await syncServer(kSeldom);
    t.after(() => b.stop());
    const { repository, refs, url, path: path_, checkout } = await publish([b]);
    b = await restarted(b, kSeldom, loseGitData(b));
    const { refused } = await cloned(url, refs);
    assert.match(refused, /has lost data of this repository: all of its branches and tags/);
    const answer = await b.get(`${path_}/info/refs?service=git-upload-pack`, { raw: true });
    assert.equal(answer.status, 503);
    assert.ok(Number(answer.headers['retry-after']) > 0);

    const { problem } = await reported(b, repository, isLost, 'the loss');
    assert.equal(problem, 'all of its branches and tags are missing');
    const html = (await b.get(path_, { raw: true })).body;
    assert.match(html, /Not synced with the signed state/);
    assert.match(html, /Not verified: <bdi>all of its branches and tags are missing/);
    assert.doesNotMatch(html, /Verified, object by object/);
    assert.doesNotMatch(html, /\b2 objects/, 'one object that is missing is one');
    const table = await run(['status', '--url', b.origin], { directory: b.directory });
    assert.equal(table.code, 1);
    assert.match(table.stdout, /git data of 1 repository is damaged/);
    assert.equal(await b.metric('ngit_git_incomplete_repositories'), 1);
    assert.equal(await b.metric('ngit_git_verified_repositories'), 0);
    assert.equal(await b.metric('ngit_git_synced_repositories'), 0);
    assert.ok((await b.metric('ngit_git_refused_incomplete_total')) >= 2);
    await b.logged(/warn.*lacks what its signed state declares.*answered with 503/i);

    await checkout.git('push', '--quiet', url, 'main');
    assert.ok((await cloned(url, refs)).clone);
    await verified(b, repository);
  });
});

describe('A folder that is removed under a running server', () => {
  let a;
  before(async () => {
    a = await syncServer(kSeldom);
  });
  after(() => a.stop());

  it('is found without anybody asking for it', async () => {
    const { repository, directory, url, refs } = await publish([a]);
    await loseDirectory(directory);
    await reported(a, repository, isLost, 'the loss');
    assert.ok((await cloned(url, refs)).refused);
  });

  it('is found by whoever clones', async () => {
    const { directory, url, refs } = await publish([a]);
    await loseDirectory(directory);
    assert.ok((await cloned(url, refs)).refused);
  });

  it('is found when only its objects are gone, or only its refs', async () => {
    const { repository, directory, url, refs } = await publish([a]);
    await rm(path.join(directory, 'objects', 'pack'), { recursive: true });
    assert.ok((await cloned(url, refs)).refused);
    await reported(a, repository, isLost, 'the loss');

    const other = await publish([a]);
    await rm(path.join(other.directory, 'refs', 'heads'), { recursive: true });
    await rm(path.join(other.directory, 'packed-refs'), { force: true });
    assert.ok((await cloned(other.url, other.refs)).clone, 'refs are set again from what is signed');
  });

  it('is verified anew when it is restored', async () => {
    const { repository, directory, url, refs } = await publish([a]);
    const copy = `${directory}-copy`;
    await cp(directory, copy, { recursive: true });
    await loseDirectory(directory);
    await reported(a, repository, isLost, 'the loss');
    const looks = await a.metric('ngit_git_verifications_total');
    await restore(directory, copy);
    await verified(a, repository);
    assert.ok((await a.metric('ngit_git_verifications_total')) > looks);
    assert.ok((await cloned(url, refs)).clone);
  });

  it('is asked for by those who verify, and named', async () => {
    const well = await publish([a]);
    const lost = await publish([a]);
    await loseDirectory(lost.directory);
    const verify = (...more) => run(['verify', '--url', a.origin, ...more], { directory: a.directory });
    const name = ({ repository }) => `${repository.npub}/${repository.identifier}`;
    const good = await verify(name(well));
    assert.equal(good.code, 0, good.output);
    assert.match(good.stdout, new RegExp(`^ok +${name(well)}`, 'm'));
    const bad = await verify(name(lost));
    assert.equal(bad.code, 1, bad.output);
    assert.match(bad.stdout, new RegExp(`^broken +${name(lost)}.*all of its branches and tags`, 'm'));
    const all = await verify();
    assert.equal(all.code, 1);
    assert.match(all.stdout, new RegExp(`^ok +${name(well)}`, 'm'));
    assert.match(all.stdout, new RegExp(`^broken +${name(lost)}`, 'm'));
    const nobody = await verify(`${well.repository.npub}/nothing`);
    assert.equal(nobody.code, 2, nobody.output);
  });
});

describe('What was verified before a restart', () => {
  let a;
  before(async () => {
    a = await syncServer(kSeldom);
  });
  after(() => a.stop());

  it('is believed when nothing changed, and not when the folder was made anew', async () => {
    const same = await publish([a]);
    const restored = await publish([a]);
    const { verified_at: before } = await verified(a, same.repository);
    a = await restarted(a, kSeldom, async () => {
      await cp(restored.directory, `${restored.directory}-copy`, { recursive: true });
      await restore(restored.directory, `${restored.directory}-copy`);
    });
    const { verified_at } = await verified(a, same.repository);
    assert.equal(verified_at, before);
    await verified(a, restored.repository);
    assert.equal(await a.metric('ngit_git_verifications_total'), 1);
  });

  it('is looked up by a command while the server is stopped', async () => {
    const { repository, directory } = await publish([a]);
    a.owned = false;
    await a.stop();
    const settings = {
      NGIT_ACCEPT: 'grasp',
      NGIT_DOMAIN: `127.0.0.1:${a.port}`,
      NGIT_BIND_ADDRESS: `127.0.0.1:${a.port}`,
      NGIT_GIT_DATA_PATH: a.gitDirectory,
    };
    const verify = (...more) => run(['verify', ...more], { directory: a.directory, settings });
    const good = await verify();
    assert.equal(good.code, 0, good.output);
    assert.match(good.stdout, new RegExp(`^ok +${repository.npub}/`, 'm'));
    await rm(directory, { recursive: true });
    const bad = await verify(`${repository.npub}/${repository.identifier}`);
    assert.equal(bad.code, 1, bad.output);
    assert.match(bad.stdout, /^broken .*its folder is missing/m);
    a = await syncServer(kSeldom, { directory: a.directory, port: a.port });
    a.owned = true;
    await reported(a, repository, isLost, 'the loss');
  });
});

describe('A repository that has no data yet', () => {
  let a;
  before(async () => {
    a = await syncServer(kSeldom);
  });
  after(() => a.stop());

  it('is an empty one, with and without a state that waits for a push', async () => {
    const repository = new Repository(a);
    const client = await a.connect();
    await client.publish(repository.announcement());
    assert.deepEqual(await remoteRefs(repository.url), {});
    const checkout = await Checkout.create();
    await checkout.commit();
    await client.publish(repository.state(await checkout.refs()));
    assert.deepEqual(await remoteRefs(repository.url), {});
    await checkout.git('push', '--quiet', repository.url, 'main');
    assert.deepEqual(await remoteRefs(repository.url, '--refs'), await checkout.refs());
    client.close();
    assert.equal(await a.metric('ngit_git_losses_total'), 0);
  });
});
