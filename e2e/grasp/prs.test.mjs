// GRASP-06: pull requests pushed to /prs/<npub>/<identifier>.git, for repositories that other
// servers host.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { describe, it } from 'node:test';
import * as nip19 from 'nostr-tools/nip19';
import { Author, randomHex } from '../helpers/events.mjs';
import { kFlush, packets, post } from '../helpers/git_wire.mjs';
import { removeDirectory, temporaryDirectory, until } from '../helpers/harness.mjs';
import {
  Checkout,
  graspServer,
  kInPurgatory,
  quarantined,
  remoteRefs,
  Repository,
  sharedHost,
} from '../helpers/repository.mjs';

const kOn = { NGIT_GRASP06_ENABLE: 'true' };
const kNotRelated = 'restricted: PR event must reference an accepted repository or accepted event';
const refOf = (event) => `refs/nostr/${event.id ?? event}`;

// What somebody hands in for somebody else's repository.
class PrRepository {
  constructor(server, { by = new Author(), owner = new Author(), identifier = 'project' } = {}) {
    Object.assign(this, { server, by, owner, identifier });
  }
  at(origin) {
    const base = this.server.settings.NGIT_BASE_PATH ?? '';
    const npub = nip19.npubEncode(this.by.pubkey);
    return `${origin}${base}/prs/${npub}/${encodeURIComponent(this.identifier)}.git`;
  }
  get url() {
    return this.at(this.server.origin);
  }
  get publicUrl() {
    const domain = this.server.settings.NGIT_DOMAIN;
    return domain ? this.at(`http://${domain}`) : this.url;
  }
  pull(commit, { by = this.by, kind = 1618, clone = [this.publicUrl], tags = [] } = {}) {
    const address = `30617:${this.owner.pubkey}:${this.identifier}`;
    return by.sign({
      kind,
      tags: [['a', address], ['c', commit], ['clone', ...clone], ...tags],
    });
  }
  push(copy, commit, event, ...options) {
    return copy.git('push', '--quiet', ...options, this.url, `${commit}:${refOf(event)}`);
  }
  refused(copy, ...refspecs) {
    return copy.fails('push', this.url, ...refspecs);
  }
  async refs() {
    return remoteRefs(this.url);
  }
}

async function contribution() {
  const copy = await Checkout.create();
  const commit = await copy.commit();
  return { copy, commit };
}
const served = async (client, event) => (await client.query({ ids: [event.id] })).length === 1;
async function onDisk(server) {
  const folder = path.join(server.gitDirectory, 'prs');
  const all = await readdir(folder, { recursive: true }).catch(() => []);
  return all.filter((name) => name.endsWith('.git'));
}

describe('A pull request for a repository that is not hosted here', () => {
  const host = sharedHost(kOn);

  it('is served once its commit has been pushed', async () => {
    const { copy, commit } = await contribution();
    const prs = new PrRepository(host.server);
    const pull = prs.pull(commit);
    assert.deepEqual(await host.client.publish(pull), [true, kInPurgatory]);
    assert.equal(await served(host.client, pull), false);
    assert.deepEqual(await prs.refs(), {});
    await prs.push(copy, commit, pull);
    assert.ok(await served(host.client, pull));
    assert.deepEqual(await prs.refs(), { [refOf(pull)]: commit });
  });

  it('may follow its commit, which nobody sees until then', async () => {
    const { copy, commit } = await contribution();
    const prs = new PrRepository(host.server, { identifier: 'my tool' });
    const pull = prs.pull(commit);
    await prs.push(copy, commit, pull);
    assert.deepEqual(await prs.refs(), {});
    const reader = await Checkout.create();
    await reader.fails('fetch', prs.url, commit);

    assert.deepEqual(await host.client.publish(pull), [true, '']);
    assert.ok(await served(host.client, pull));
    assert.deepEqual(await prs.refs(), { [refOf(pull)]: commit });
    assert.deepEqual(await quarantined(host.server), []);
  });

  it('can be fetched and cloned by others, in every protocol', async () => {
    const { copy, commit } = await contribution();
    const prs = new PrRepository(host.server);
    const pull = prs.pull(commit);
    await prs.push(copy, commit, pull);
    await host.client.publishAll([pull]);
    for (const version of [0, 1, 2]) {
      const reader = await Checkout.create();
      const protocol = ['-c', `protocol.version=${version}`];
      await reader.git(...protocol, 'fetch', '--quiet', prs.url, refOf(pull));
      assert.equal(await reader.git('rev-parse', 'FETCH_HEAD'), commit);
      await reader.git(...protocol, 'fetch', '--quiet', prs.url, commit);
    }
    const mirror = await Checkout.clone(prs.url, '--mirror');
    assert.equal(await mirror.git('rev-parse', refOf(pull)), commit);
  });

  it('may be updated, from where the last one ended', async () => {
    const { copy, commit } = await contribution();
    const prs = new PrRepository(host.server);
    const pull = prs.pull(commit);
    await host.client.publishAll([pull]);
    await prs.push(copy, commit, pull);
    const better = await copy.commit('better');
    const tags = [
      ['E', pull.id],
      ['P', prs.by.pubkey],
    ];
    const update = prs.pull(better, { kind: 1619, tags });
    await prs.push(copy, better, update);
    assert.deepEqual(await host.client.publish(update), [true, '']);
    assert.deepEqual(await prs.refs(), { [refOf(pull)]: commit, [refOf(update)]: better });
    await copy.git('fetch', '--quiet', prs.url, refOf(update));
  });

  it('can be talked about', async () => {
    const { copy, commit } = await contribution();
    const prs = new PrRepository(host.server);
    const pull = prs.pull(commit);
    await host.client.publishAll([pull]);
    const comment = new Author().sign({ kind: 1111, tags: [['E', pull.id]] });
    assert.equal((await host.client.publish(comment))[0], false);
    await prs.push(copy, commit, pull);
    await until(() => served(host.client, comment), 'the comment');
  });

  it('may be pushed again without effect', async () => {
    const { copy, commit } = await contribution();
    const prs = new PrRepository(host.server);
    const pull = prs.pull(commit);
    await host.client.publishAll([pull]);
    await prs.push(copy, commit, pull);
    await prs.push(copy, commit, pull);
    assert.deepEqual(await prs.refs(), { [refOf(pull)]: commit });
  });

  it('may come with others in one push, if all are published', async () => {
    const { copy, commit } = await contribution();
    const prs = new PrRepository(host.server);
    const other = await copy.orphan();
    const pulls = [prs.pull(commit), prs.pull(other)];
    const specs = [`${commit}:${refOf(pulls[0])}`, `${other}:${refOf(pulls[1])}`];
    const stderr = await prs.refused(copy, ...specs);
    assert.match(stderr, /GRASP-06: push one refs\/nostr ref at a time/);
    await host.client.publishAll(pulls);
    await copy.git('push', '--quiet', prs.url, ...specs);
    assert.deepEqual(await prs.refs(), { [refOf(pulls[0])]: commit, [refOf(pulls[1])]: other });
    assert.ok(await served(host.client, pulls[1]));
  });

  it('is gone when its event is deleted', async () => {
    const { copy, commit } = await contribution();
    const prs = new PrRepository(host.server);
    const [one, two] = [prs.pull(commit), prs.pull(commit, { tags: [['subject', 'again']] })];
    await host.client.publishAll([one, two]);
    await prs.push(copy, commit, one);
    await prs.push(copy, commit, two);
    const before = (await onDisk(host.server)).length;
    await host.client.publishAll([prs.by.deletion([['e', one.id]])]);
    await until(async () => !(refOf(one) in (await prs.refs())), 'the ref to go');
    assert.deepEqual(await prs.refs(), { [refOf(two)]: commit });
    await host.client.publishAll([prs.by.deletion([['e', two.id]])]);
    await until(async () => (await onDisk(host.server)).length < before, 'the PR repository to go');
    assert.deepEqual(await prs.refs(), {});
    assert.equal(await served(host.client, two), false);
    await prs.push(copy, commit, two); // waits, for an event that will not be taken again
    assert.equal((await host.client.publish(two))[0], false);
    assert.deepEqual(await prs.refs(), {});
  });

  it('cannot be deleted by a push', async () => {
    const { copy, commit } = await contribution();
    const prs = new PrRepository(host.server);
    const pull = prs.pull(commit);
    await host.client.publishAll([pull]);
    await prs.push(copy, commit, pull);
    const stderr = await prs.refused(copy, `:${refOf(pull)}`);
    assert.match(stderr, /\(GRASP-06: refs\/nostr refs go when their event is deleted\)/);
  });
});

describe('A push to /prs', () => {
  const host = sharedHost(kOn);
  const quiet = (stderr) => assert.doesNotMatch(stderr, /not found/);

  it('takes nothing but refs/nostr', async () => {
    const { copy, commit } = await contribution();
    const prs = new PrRepository(host.server);
    const upper = refOf('AB'.repeat(32));
    for (const ref of ['refs/heads/main', 'refs/tags/v1', 'refs/notes/x', refOf('abc'), upper]) {
      const stderr = await prs.refused(copy, `${commit}:${ref}`);
      const reason = `GRASP-06: only pushes to refs/nostr/<event-id> are accepted (${ref})`;
      assert.match(stderr, /\[remote rejected\]/);
      assert.ok(stderr.includes(`(${reason})`), stderr);
      quiet(stderr);
    }
    const specs = [`${commit}:refs/heads/main`, `${commit}:${refOf(randomHex(32))}`];
    const both = await prs.refused(copy, ...specs);
    assert.match(both, /GRASP-06: only pushes to refs\/nostr/);
    assert.deepEqual(await prs.refs(), {});
  });

  it('is refused in words when it names no ref at all', async () => {
    const prs = new PrRepository(host.server);
    const answer = await post(prs, 'git-receive-pack', Buffer.concat([kFlush, Buffer.from('PACK')]));
    assert.equal(answer.status, 200);
    const words = ['ERR GRASP-06: no ref updates found in push'];
    assert.deepEqual(packets(Buffer.from(answer.body)), words);
  });

  it('is refused when the event names another commit', async () => {
    const { copy, commit } = await contribution();
    const other = await copy.orphan();
    const prs = new PrRepository(host.server);
    const pull = prs.pull(commit);
    await host.client.publishAll([pull]);
    const stderr = await prs.refused(copy, `${other}:${refOf(pull)}`);
    const reason = `PR event ${pull.id} specifies commit ${commit}, but push contains ${other}`;
    assert.ok(stderr.includes(`(GRASP-06: ${reason})`), stderr);
    quiet(stderr);
    assert.deepEqual(await prs.refs(), {});
    assert.equal(await served(host.client, pull), false);
    await prs.push(copy, commit, pull);
    assert.ok(await served(host.client, pull));
  });

  it('is thrown away when the event turns out to name another commit', async () => {
    const { copy, commit } = await contribution();
    const other = await copy.orphan();
    const prs = new PrRepository(host.server);
    const pull = prs.pull(commit);
    await prs.push(copy, other, pull);
    assert.deepEqual(await host.client.publish(pull), [true, kInPurgatory]);
    await until(async () => (await quarantined(host.server)).length === 0, 'an empty quarantine');
    assert.deepEqual(await prs.refs(), {});
    await prs.push(copy, commit, pull);
    assert.deepEqual(await prs.refs(), { [refOf(pull)]: commit });
  });

  it('is refused in the PR repository of another signer, identifier or server', async () => {
    const { copy, commit } = await contribution();
    const prs = new PrRepository(host.server);
    const pull = prs.pull(commit);
    await host.client.publishAll([pull]);
    const stranger = new PrRepository(host.server, { ...prs, by: new Author() });
    assert.match(await stranger.refused(copy, `${commit}:${refOf(pull)}`), /signed by another key/);
    const other = new PrRepository(host.server, { ...prs, identifier: 'other' });
    assert.match(await other.refused(copy, `${commit}:${refOf(pull)}`), /about another repository/);

    const repository = new Repository(host.server);
    await repository.publish(host.client);
    const known = repository.pullRequest(commit, { by: prs.by });
    await host.client.publishAll([known]);
    const stderr = await prs.refused(copy, `${commit}:${refOf(known)}`);
    assert.match(stderr, /GRASP-06: PR event \w+ has no 'clone' value with this URL/);
  });

  it('does not let a stranger claim an id', async () => {
    const { copy, commit } = await contribution();
    const prs = new PrRepository(host.server);
    const stranger = new PrRepository(host.server, { ...prs, by: new Author() });
    const pull = prs.pull(commit);
    await stranger.push(copy, await copy.orphan(), pull);
    await stranger.push(copy, commit, pull);
    assert.deepEqual(await host.client.publish(pull), [true, kInPurgatory]);
    assert.deepEqual(await stranger.refs(), {});
    await prs.push(copy, commit, pull);
    assert.deepEqual(await stranger.refs(), {});
    assert.deepEqual(await prs.refs(), { [refOf(pull)]: commit });
  });

  it('takes commits only', async () => {
    const { copy, commit } = await contribution();
    const prs = new PrRepository(host.server);
    const tree = await copy.git('rev-parse', `${commit}^{tree}`);
    const stderr = await prs.refused(copy, `${tree}:${refOf(randomHex(32))}`);
    assert.match(stderr, /GRASP-06: \w+ is not a commit/);
  });

  it('leaves nothing behind when only asked about', async () => {
    const before = await onDisk(host.server);
    const prs = new PrRepository(host.server);
    for (const version of [0, 1, 2]) {
      const protocol = ['-c', `protocol.version=${version}`];
      assert.equal(await new Checkout('/').git(...protocol, 'ls-remote', prs.url), '');
    }
    const empty = await Checkout.clone(prs.url);
    assert.deepEqual(await empty.refs(), {});
    const { copy } = await contribution();
    await prs.refused(copy, 'main');
    assert.deepEqual(await onDisk(host.server), before);
  });

  it('needs an address that could be a repository', async () => {
    const npub = nip19.npubEncode(new Author().pubkey);
    const { pubkey } = new Author();
    const none = [`${npub}/a`, `${pubkey}/a.git`, 'npub1x/a.git', `${npub}/..%2f..%2fx.git`, ''];
    for (const where of none.map((rest) => `/prs/${rest}`)) {
      const { status } = await host.server.get(`${where}/info/refs?service=git-upload-pack`);
      assert.equal(status, 404, where);
    }
    const page = await host.server.get(`/prs/${npub}/a.git`);
    assert.equal(page.status, 200);
    assert.match(page.headers['content-type'], /^text\/plain/);
    const dumb = await host.server.get(`/prs/${npub}/a.git/info/refs`);
    assert.equal(dumb.status, 404);
  });
});

describe('An event that wants to be taken for /prs', () => {
  const host = sharedHost(kOn);

  it('names its own PR repository exactly', async () => {
    const { commit } = await contribution();
    const prs = new PrRepository(host.server);
    const { url } = prs;
    const other = new PrRepository(host.server, { ...prs, identifier: 'other' }).url;
    const another = new PrRepository(host.server).url;
    const others = [
      'https://them.example/x.git',
      `${url}/`,
      `${url}?a`,
      `${url}#a`,
      other,
      another,
      url.replace('http://', ''),
      url.replace('/prs/', '/'),
      url.replace('127.0.0.1', '127.0.0.1.example'),
    ];
    for (const clone of [[], ...others.map((one) => [one])]) {
      const answer = await host.client.publish(prs.pull(commit, { clone }));
      assert.deepEqual(answer, [false, kNotRelated], clone);
    }
    const among = prs.pull(commit, { clone: ['https://them.example/x.git', url] });
    assert.deepEqual(await host.client.publish(among), [true, kInPurgatory]);
    const update = prs.pull(commit, { kind: 1619 });
    assert.deepEqual(await host.client.publish(update), [true, kInPurgatory]);
  });

  it('is signed by the owner of the PR repository', async () => {
    const { commit } = await contribution();
    const prs = new PrRepository(host.server);
    const pull = prs.pull(commit, { by: new Author() });
    assert.deepEqual(await host.client.publish(pull), [false, kNotRelated]);
  });
});

describe('A pull request for a repository that is hosted here', () => {
  const host = sharedHost(kOn);

  it('is copied there from /prs, and not the other way', async () => {
    const repository = new Repository(host.server);
    await repository.publish(host.client);
    const copy = await Checkout.clone(repository.url);
    const prs = new PrRepository(host.server, repository);
    const first = await copy.commit('first');
    const pull = prs.pull(first);
    await prs.push(copy, first, pull);
    assert.deepEqual(await host.client.publish(pull), [true, '']);
    assert.deepEqual(await prs.refs(), { [refOf(pull)]: first });
    assert.equal((await remoteRefs(repository.url))[refOf(pull)], first);

    const second = await copy.commit('second');
    const direct = prs.pull(second);
    await host.client.publishAll([direct]);
    await copy.git('push', '--quiet', repository.url, `${second}:${refOf(direct)}`);
    assert.equal((await remoteRefs(repository.url))[refOf(direct)], second);
    assert.deepEqual(Object.keys(await prs.refs()), [refOf(pull)]);

    await host.client.publishAll([prs.by.deletion([['e', pull.id]])]);
    for (const url of [repository.url, prs.url])
      await until(async () => !(refOf(pull) in (await remoteRefs(url))), `the ref to go in ${url}`);
  });
});

describe('What waits for /prs', () => {
  const host = sharedHost({
    ...kOn,
    NGIT_UNSIGNED_UPLOAD_EXPIRY_SECS: '2',
    NGIT_PURGATORY_EXPIRY_SECS: '2',
  });

  it('is given up in time: a commit without its event', async () => {
    const { copy, commit } = await contribution();
    const prs = new PrRepository(host.server);
    await prs.push(copy, commit, randomHex(32));
    assert.equal((await quarantined(host.server)).length, 1);
    await until(async () => (await quarantined(host.server)).length === 0, 'an empty quarantine');
    assert.deepEqual(await onDisk(host.server), []);
  });

  it('is given up in time: an event without its commit', async () => {
    const { commit } = await contribution();
    const pull = new PrRepository(host.server).pull(commit);
    await host.client.publishAll([pull]);
    await host.server.logged(new RegExp(`PURGATORY_EXPIRED.*${pull.id}`));
    assert.deepEqual(await host.client.publish(pull), [true, kInPurgatory]);
  });
});

describe('The space in /prs', () => {
  const host = sharedHost({ ...kOn, NGIT_GRASP06_MAX_REPOSITORY_BYTES: `${64 << 10}` });

  it('is bounded for each key and repository', async () => {
    const { copy } = await contribution();
    const prs = new PrRepository(host.server);
    const big = await copy.commit('big', { blob: randomBytes(100 << 10) });
    const pull = prs.pull(big);
    await host.client.publishAll([pull]);
    const tooBig = await prs.refused(copy, `${big}:${refOf(pull)}`);
    assert.match(tooBig, /GRASP-06: the push is larger than the 64 KiB left here/);
    assert.deepEqual(await prs.refs(), {});

    await copy.git('checkout', '--quiet', '--orphan', 'small');
    await copy.git('rm', '--quiet', '-r', '-f', '.');
    const small = await copy.commit('small', { blob: randomBytes(50 << 10) });
    const fits = prs.pull(small);
    await host.client.publishAll([fits]);
    await prs.push(copy, small, fits);
    const more = await copy.commit('more', { blob: randomBytes(20 << 10) });
    const over = prs.pull(more);
    await host.client.publishAll([over]);
    const tooMuch = await prs.refused(copy, `${more}:${refOf(over)}`);
    assert.match(tooMuch, /GRASP-06: the push is larger than the 1\d KiB left here/);
    assert.deepEqual(await prs.refs(), { [refOf(fits)]: small });

    const another = new PrRepository(host.server);
    const elsewhere = another.pull(small);
    await host.client.publishAll([elsewhere]);
    await another.push(copy, small, elsewhere);
  });
});

describe('All the space in /prs', () => {
  const host = sharedHost({ ...kOn, NGIT_GRASP06_MAX_BYTES: `${64 << 10}` });

  it('is bounded too', async () => {
    const { copy } = await contribution();
    const [one, two] = [new PrRepository(host.server), new PrRepository(host.server)];
    const most = await copy.commit('most', { blob: randomBytes(63 << 10) });
    await copy.git('checkout', '--quiet', '--orphan', 'other');
    const rest = await copy.commit('rest', { blob: randomBytes(2 << 10) });
    const [first, second] = [one.pull(most), two.pull(rest)];
    await host.client.publishAll([first, second]);
    await one.push(copy, most, first);
    const stderr = await two.refused(copy, `${rest}:${refOf(second)}`);
    assert.match(stderr, /GRASP-06: this server has no more room for pull requests/);
    await host.client.publishAll([one.by.deletion([['e', first.id]])]);
    const fits = () => two.push(copy, rest, second).then(() => true, () => false);
    await until(fits, 'the space of the first');
    assert.deepEqual(await two.refs(), { [refOf(second)]: rest });
    assert.equal(await host.server.metric('ngit_prs_repositories'), 1);
    assert.equal(await host.server.metric('ngit_prs_bytes_max'), 64 << 10);
    const used = await host.server.metric('ngit_prs_bytes');
    assert.ok(used > 0 && used <= 64 << 10, `${used}`);
  });
});

describe('Without GRASP-06', () => {
  const host = sharedHost();

  it('there is no /prs', async () => {
    const { copy, commit } = await contribution();
    const prs = new PrRepository(host.server);
    const url = new URL(prs.url).pathname;
    const service = '/info/refs?service=git';
    for (const rest of ['', `${service}-upload-pack`, `${service}-receive-pack`])
      assert.equal((await host.server.get(url + rest, { raw: true })).status, 404, rest);
    assert.match(await prs.refused(copy, `${commit}:${refOf(randomHex(32))}`), /not found/);
    assert.deepEqual(await host.client.publish(prs.pull(commit)), [false, kNotRelated]);
    assert.equal(await host.server.metric('ngit_prs_repositories'), undefined);
    const { supported_grasps } = await host.server.information();
    assert.ok(!supported_grasps.includes('GRASP-06'), supported_grasps);
  });
});

describe('GRASP-06', () => {
  it('is said in NIP-11, after the others', async () => {
    const archive = { NGIT_ARCHIVE_ALL: 'true', NGIT_ARCHIVE_READ_ONLY: 'false' };
    const server = await graspServer({ ...kOn, ...archive });
    const { supported_grasps } = await server.information();
    assert.deepEqual(supported_grasps, ['GRASP-01', 'GRASP-05', 'GRASP-02', 'GRASP-06']);
    await server.stop();
  });

  it('lies below the mount', async () => {
    const server = await graspServer({ ...kOn, NGIT_BASE_PATH: '/grasp' });
    const client = await server.connect();
    const { copy, commit } = await contribution();
    const prs = new PrRepository(server);
    const pull = prs.pull(commit);
    await prs.push(copy, commit, pull);
    assert.deepEqual(await client.publish(pull), [true, '']);
    assert.deepEqual(await prs.refs(), { [refOf(pull)]: commit });
    const outside = `${new URL(prs.url).pathname.replace('/grasp', '')}/info/refs`;
    const { status } = await server.get(`${outside}?service=git-upload-pack`, { raw: true });
    assert.equal(status, 404);
    await server.stop();
  });

  it('survives that the server is killed, waiting and served', async () => {
    const directory = await temporaryDirectory();
    const settings = { ...kOn, NGIT_DOMAIN: 'grasp.test' };
    const before = await graspServer(settings, { directory });
    const client = await before.connect();
    const { copy, commit } = await contribution();
    const [first, second, third] = [1, 2, 3].map(() => new PrRepository(before));
    const pulls = [first.pull(commit), second.pull(commit), third.pull(commit)];
    await client.publishAll([pulls[0], pulls[2]]);
    await first.push(copy, commit, pulls[0]);
    await second.push(copy, commit, pulls[1]);
    await before.kill();

    const server = await graspServer(settings, { directory });
    const again = await server.connect();
    const at = (prs) => new PrRepository(server, prs);
    assert.deepEqual(await at(first).refs(), { [refOf(pulls[0])]: commit });
    assert.deepEqual(await again.publish(pulls[1]), [true, '']);
    assert.deepEqual(await at(second).refs(), { [refOf(pulls[1])]: commit });
    await at(third).push(copy, commit, pulls[2]);
    assert.ok(await served(again, pulls[2]));
    await server.stop();
    await removeDirectory(directory);
  });

  it('forgets at start what has no event', async () => {
    const directory = await temporaryDirectory();
    const settings = { ...kOn, NGIT_DOMAIN: 'grasp.test' };
    const before = await graspServer(settings, { directory });
    const client = await before.connect();
    const { copy, commit } = await contribution();
    const prs = new PrRepository(before);
    const pull = prs.pull(commit);
    await client.publishAll([pull]);
    await prs.push(copy, commit, pull);
    await before.stop();
    const folder = path.join(before.gitDirectory, 'prs', prs.by.pubkey, 'project.git');
    const repository = new Checkout(folder);
    await repository.git('update-ref', refOf('12'.repeat(32)), commit);

    const server = await graspServer(settings, { directory });
    const same = new PrRepository(server, prs);
    await until(async () => Object.keys(await same.refs()).length === 1, 'the stray ref to go');
    assert.deepEqual(await same.refs(), { [refOf(pull)]: commit });
    await server.stop();
    await removeDirectory(directory);
  });

  it('takes nothing from those who are not welcome', async () => {
    const unwelcome = new Author();
    const npub = nip19.npubEncode(unwelcome.pubkey);
    const server = await graspServer({ ...kOn, NGIT_EVENT_BLACKLIST: npub });
    const { copy, commit } = await contribution();
    const prs = new PrRepository(server, { by: unwelcome });
    const stderr = await prs.refused(copy, `${commit}:${refOf(randomHex(32))}`);
    assert.match(stderr, /GRASP-06: this server does not take pull requests from you here/);
    await server.stop();
  });
});
