// Archives (GRASP-05): repositories are kept although they name other servers.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import * as nip19 from 'nostr-tools/nip19';
import { Author } from '../helpers/events.mjs';
import { removeDirectory, run, temporaryDirectory, until } from '../helpers/harness.mjs';
import { Checkout, kInPurgatory, onDisk, remoteRefs, Repository } from '../helpers/repository.mjs';
import { holds, syncServer } from '../helpers/sync_servers.mjs';

const npub = (author) => nip19.npubEncode(author.pubkey);
const kReadOnly = 'invalid: Archive read-only mode: announcement must match archive whitelist.';

// The same repository, as the archive has it.
const at = (archive, repository) => new Repository(archive, repository);

async function hasRefs(archive, repository, refs) {
  const url = at(archive, repository).url;
  const same = async () => {
    const found = await remoteRefs(url, '--refs').catch(() => ({}));
    return JSON.stringify(found) === JSON.stringify(refs);
  };
  await until(same, `the refs of ${url}`, 30_000);
}

describe('A read-only archive of all repositories', () => {
  let source, archive, repository, checkout, refs;
  before(async () => {
    source = await syncServer();
    archive = await syncServer({
      NGIT_ARCHIVE_ALL: 'true',
      NGIT_SYNC_BOOTSTRAP_RELAY_URL: source.url,
    });
    repository = new Repository(source);
    const client = await source.connect();
    checkout = await repository.publish(client);
    refs = await checkout.refs();
    client.close();
  });
  after(() => Promise.all([source.stop(), archive.stop()]));

  it('has events and git data of a repository that does not name it', async () => {
    await hasRefs(archive, repository, refs);
    const client = await source.connect();
    await holds(archive, await client.query({ kinds: [30617, 30618] }), 20_000);
    client.close();
    const copy = await onDisk(at(archive, repository));
    assert.equal(await copy.git('config', 'core.bare'), 'true');
    await (await Checkout.clone(at(archive, repository).url)).remove();
  });

  it('follows what is pushed elsewhere', async () => {
    await checkout.commit();
    const client = await source.connect();
    await repository.declare(client, await checkout.refs());
    await checkout.git('push', '--quiet', repository.url, 'main');
    client.close();
    await hasRefs(archive, repository, await checkout.refs());
  });

  it('refuses every push and says why', async () => {
    const before = await remoteRefs(at(archive, repository).url, '--refs');
    await checkout.commit();
    const client = await archive.connect();
    await repository.declare(client, await checkout.refs());
    client.close();
    const complaint = await checkout.fails('push', at(archive, repository).url, 'main');
    assert.match(complaint, /read-only archive; push to https?:/);
    assert.deepEqual(await remoteRefs(at(archive, repository).url, '--refs'), before);
  });

  it('does not send people to itself', async () => {
    const client = await archive.connect();
    const own = new Repository(archive);
    await client.publishAll([own.announcement()]);
    await own.declare(client, await checkout.refs());
    client.close();
    const complaint = await checkout.fails('push', own.url, 'main');
    assert.match(complaint, /its operator can change that \(NGIT_ARCHIVE_READ_ONLY=false\)/);
    assert.match(archive.output, /pushes are refused; NGIT_ARCHIVE_READ_ONLY=false to host/);
  });

  it('says what it is', async () => {
    const information = await archive.information();
    assert.deepEqual(information.supported_grasps.slice(0, 3), [
      'GRASP-01',
      'GRASP-05',
      'GRASP-02',
    ]);
    assert.equal(information.curation, 'Read-only sync of all repositories found on network');
    assert.equal(information.repo_acceptance_criteria, 'Archived repositories only');
  });
});

describe('An archive of certain repositories', () => {
  const wanted = new Author();
  let server, client;
  before(async () => {
    server = await syncServer({ NGIT_ARCHIVE_WHITELIST: npub(wanted) });
    client = await server.connect();
  });
  after(() => server.stop());
  const elsewhere = (owner) => ({
    clone: [`https://them.example/${npub(owner)}/project.git`],
    relays: ['wss://them.example'],
  });

  it('takes those, wherever they live', async () => {
    const repository = new Repository(server, { owner: wanted });
    const answer = await client.publish(repository.announcement(elsewhere(wanted)));
    assert.deepEqual(answer, [true, kInPurgatory]);
  });

  it('refuses others, also when they name it', async () => {
    const repository = new Repository(server);
    for (const tags of [elsewhere(repository.owner), {}]) {
      const [accepted, text] = await client.publish(repository.announcement(tags));
      assert.equal(accepted, false);
      assert.ok(text.startsWith(kReadOnly), text);
    }
  });
});

describe('An archive of what other services host', () => {
  let server, client;
  before(async () => {
    server = await syncServer({
      NGIT_ARCHIVE_GRASP_SERVICES: 'them.example,others.example:8080',
      NGIT_ARCHIVE_READ_ONLY: 'false',
    });
    client = await server.connect();
  });
  after(() => server.stop());
  const announced = async (clone) => {
    const repository = new Repository(server);
    const relays = ['wss://elsewhere.example'];
    return (await client.publish(repository.announcement({ clone: [clone], relays })))[0];
  };

  it('takes what is cloned from one of them', async () => {
    assert.ok(await announced('https://them.example/npub1x/a.git'));
    assert.ok(await announced('http://others.example:8080/a.git'));
    assert.equal(await announced('https://others.example/a.git'), false);
    assert.equal(await announced('https://them.example.evil/a.git'), false);
    assert.equal(await announced('https://evil.example/?them.example'), false);
  });

  it('still hosts whoever names it, and takes pushes', async () => {
    const checkout = await new Repository(server).publish(client);
    await checkout.remove();
    const information = await server.information();
    assert.ok(information.supported_grasps.includes('GRASP-05'));
    assert.equal('curation' in information, false);
  });
});

describe('Settings of archives that contradict each other', () => {
  let directory;
  before(async () => (directory = await temporaryDirectory()));
  after(() => removeDirectory(directory));
  const cases = [
    [{ NGIT_ARCHIVE_ALL: 'true', NGIT_ARCHIVE_GRASP_SERVICES: 'a.example' }, /of one kind/],
    [{ NGIT_ARCHIVE_WHITELIST: 'a', NGIT_ARCHIVE_GRASP_SERVICES: 'a.example' }, /of one kind/],
    [{ NGIT_ARCHIVE_READ_ONLY: 'true' }, /without an archive/],
    [{ NGIT_ARCHIVE_ALL: 'true', NGIT_REPOSITORY_WHITELIST: 'a' }, /NGIT_REPOSITORY_WHITELIST/],
    [{ NGIT_ARCHIVE_GRASP_SERVICES: 'https://a.example' }, /no service's name/],
  ];
  for (const [settings, complaint] of cases) {
    it(`stop the start: ${Object.keys(settings).join(', ')}`, async () => {
      const { code, stderr } = await run(['config'], { directory, settings });
      assert.notEqual(code, 0);
      assert.match(stderr, complaint);
    });
  }
});
