// The HTTP around git: addresses, methods, headers.
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { kFlush, packet, packets, post } from '../helpers/git_wire.mjs';
import { request } from '../helpers/harness.mjs';
import { Checkout, remoteRefs, Repository, sharedHost } from '../helpers/repository.mjs';

const kServices = ['git-upload-pack', 'git-receive-pack'];

function assertCors(headers) {
  assert.equal(headers['access-control-allow-origin'], '*');
  assert.equal(headers['access-control-allow-methods'], 'GET, POST');
  assert.match(headers['access-control-allow-headers'], /\bContent-Type\b/);
  assert.match(headers['access-control-allow-headers'], /\bGit-Protocol\b/);
}
function assertNotCached(headers) {
  assert.match(headers['cache-control'], /no-cache/);
}

describe('HTTP for git', () => {
  const host = sharedHost();
  let repository;
  before(async () => {
    repository = new Repository(host.server);
    await repository.publish(host.client);
  });
  const ask = (target, options) => request(`${repository.url}${target}`, options);

  for (const service of kServices) {
    it(`advertises ${service} with its content type, and lets nobody cache it`, async () => {
      const answer = await ask(`/info/refs?service=${service}`);
      assert.equal(answer.status, 200);
      assert.equal(answer.headers['content-type'], `application/x-${service}-advertisement`);
      assertNotCached(answer.headers);
      assertCors(answer.headers);
      const lines = packets(Buffer.from(answer.body));
      assert.equal(lines[0], `# service=${service}\n`);
      assert.equal(lines[1], null);
      assert.equal(lines.at(-1), null);
    });

    it(`answers HEAD for ${service} like GET, without a body`, async () => {
      const answer = await ask(`/info/refs?service=${service}`, { method: 'HEAD' });
      assert.equal(answer.status, 200);
      assert.equal(answer.headers['content-type'], `application/x-${service}-advertisement`);
      assert.equal(answer.body, '');
      assert.equal(answer.headers['content-length'], undefined); // GET has none
      assertNotCached(answer.headers);
      assertCors(answer.headers);
    });

    it(`labels the result of ${service}`, async () => {
      const answer = await post(repository, service, kFlush);
      assert.equal(answer.status, 200);
      assert.equal(answer.headers['content-type'], `application/x-${service}-result`);
      assertNotCached(answer.headers);
      assertCors(answer.headers);
    });

    it(`does not know ${service} of a repository that is not hosted`, async () => {
      const nowhere = new Repository(host.server);
      const advertised = await request(`${nowhere.url}/info/refs?service=${service}`);
      const posted = await post(nowhere, service, kFlush);
      for (const answer of [advertised, posted]) {
        assert.equal(answer.status, 404);
        assertCors(answer.headers);
        assert.match(answer.body, /not found/);
      }
    });
  }

  it('advertises both ways to ask for an oid, and filters', async () => {
    const { body } = await ask('/info/refs?service=git-upload-pack');
    assert.match(body, / allow-tip-sha1-in-want allow-reachable-sha1-in-want/);
    assert.match(body, / filter\b/);
    assert.match(body, / symref=HEAD:refs\/heads\/main\b/);
  });

  it('advertises an empty repository with a line for its capabilities', async () => {
    const empty = new Repository(host.server);
    await host.client.publishAll([empty.announcement()]);
    const { body } = await request(`${empty.url}/info/refs?service=git-upload-pack`);
    const lines = packets(Buffer.from(body));
    assert.match(lines[2], /^0{40} capabilities\^\{\}\0.*allow-reachable-sha1-in-want/);
    assert.equal(lines.at(-1), null);
  });

  for (const [title, target, options] of [
    ['dumb HTTP', '/HEAD'],
    ['dumb HTTP of objects', '/objects/info/packs'],
    ['an unknown service', '/info/refs?service=git-upload-archive'],
    ['no service', '/info/refs'],
    ['GET where POST belongs', '/git-upload-pack'],
    ['POST where GET belongs', '/info/refs?service=git-upload-pack', { method: 'POST' }],
    ['something below', '/git-upload-pack/x', { method: 'POST' }],
  ]) {
    it(`answers 404 to ${title}`, async () => {
      const answer = await ask(target, options);
      assert.equal(answer.status, 404);
      assertCors(answer.headers);
    });
  }

  for (const target of ['', '/', '/info/refs?service=git-receive-pack', '/git-upload-pack']) {
    it(`answers OPTIONS on the repository's "${target}" with 204`, async () => {
      const answer = await ask(target, {
        method: 'OPTIONS',
        headers: {
          origin: 'https://client.example',
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'content-type,git-protocol',
        },
      });
      assert.equal(answer.status, 204);
      assert.equal(answer.body, '');
      assertCors(answer.headers);
    });
  }

  for (const [header, version] of [
    ['version=2', 2],
    ['version=1', 1],
    ['version=1:version=2', 2],
    ['object-format=sha1:version=2', 2],
    ['version=3', 0],
    ['version=two', 0],
    ['', 0],
    [':::::', 0],
    ['version=2;rm -rf', 0],
    [`x=${'y'.repeat(4000)}`, 0],
  ]) {
    it(`takes "${header.slice(0, 30)}" in Git-Protocol for version ${version}`, async () => {
      const answer = await ask('/info/refs?service=git-upload-pack', {
        headers: { 'git-protocol': header },
      });
      assert.equal(answer.status, 200);
      const spoken = packets(Buffer.from(answer.body)).find((line) => line?.startsWith('version '));
      assert.equal(spoken?.trim() ?? 'version 0', `version ${version}`);
    });
  }

  it('reports a want that is nonsense as git does', async () => {
    const body = Buffer.concat([packet('want nonsense\n'), kFlush, packet('done\n')]);
    const answer = await post(repository, 'git-upload-pack', body);
    assert.equal(answer.status, 200);
    assert.match(answer.body, /^[0-9a-f]{4}ERR /);
  });
});

describe('identifiers in addresses', () => {
  const host = sharedHost();

  for (const identifier of [
    'with spaces',
    'a:b',
    'größe-日本',
    '100%',
    'x.git',
    'a+b&c?d#e',
    "'q'",
  ]) {
    it(`may be "${identifier}"`, async () => {
      const repository = new Repository(host.server, { identifier });
      await repository.publish(host.client);
      const clone = await Checkout.clone(repository.url);
      assert.equal((await remoteRefs(repository.url)).HEAD, await clone.git('rev-parse', 'HEAD'));
    });
  }

  it('are decoded once', async () => {
    const repository = new Repository(host.server, { identifier: 'a%41' });
    await repository.publish(host.client);
    const other = new Repository(host.server, { ...repository, identifier: 'aA' });
    assert.equal((await request(`${other.url}/info/refs?service=git-upload-pack`)).status, 404);
  });

  it('lead nowhere else', async () => {
    const repository = new Repository(host.server, { identifier: 'plain' });
    await repository.publish(host.client);
    const { origin } = host.server;
    for (const path of [
      `/${repository.npub}/%2e%2e%2f${repository.npub}%2fplain.git`,
      `/${repository.npub}/..%2f${repository.npub}%2fplain.git`,
      `/${repository.npub}/plain.git.git`,
      `/${repository.npub}/plain%00.git`,
      `/${repository.npub.toUpperCase()}/plain.git`,
      `/${repository.npub.slice(0, -1)}${repository.npub.endsWith('q') ? 'p' : 'q'}/plain.git`,
      `/${repository.owner.pubkey}/plain.git`,
      `/.graspd/plain.git`,
    ]) {
      const answer = await request(`${origin}${path}/info/refs?service=git-upload-pack`);
      assert.equal(answer.status, 404, path);
      assertCors(answer.headers);
    }
  });
});

describe('a service below a path', () => {
  const host = sharedHost({ NGIT_BASE_PATH: '/git/here' });

  it('hosts repositories there, and nowhere else', async () => {
    const repository = new Repository(host.server);
    await repository.publish(host.client);
    await Checkout.clone(repository.url);
    const elsewhere = repository.url.replace('/git/here', '');
    assert.equal((await request(`${elsewhere}/info/refs?service=git-upload-pack`)).status, 404);
  });
});
