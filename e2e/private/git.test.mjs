// Git over HTTP on a private service (GRASP-08).
import assert from 'node:assert/strict';
import { once } from 'node:events';
import fs from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import plainHttp from 'node:http';
import { after, before, describe, it } from 'node:test';
import git from 'isomorphic-git';
import http from 'isomorphic-git/http/node';
import { Author, now } from '../helpers/events.mjs';
import { binary, request, within } from '../helpers/harness.mjs';
import { Checkout, Repository } from '../helpers/repository.mjs';
import {
  changeMembers,
  checkoutOf,
  checkoutWith,
  credential,
  enter,
  privateServer,
  publishPrivately,
} from '../helpers/private.mjs';

const member = new Author();
const colleague = new Author();
const stranger = new Author();

const bearer = (token) => ({ headers: { authorization: `Nostr ${token}` } });
const refs = (repository) => `${repository.url}/info/refs?service=git-upload-pack`;

describe('Git on a private service', () => {
  let server, repository;
  before(async () => {
    server = await privateServer([member, colleague]);
    repository = new Repository(server, { owner: member, identifier: 'my project' });
    await publishPrivately(server, repository);
  });
  after(() => server.stop());

  const status = async (token, url = refs(repository)) => (await request(url, bearer(token))).status;

  it('gives strangers one answer to everything', async () => {
    const plain = ({ status: code, headers, body }) => {
      const { date, ...rest } = headers;
      return { code, headers: rest, body };
    };
    const expected = plain(await request(repository.url));
    assert.equal(expected.code, 401);
    assert.equal(expected.body, '');
    assert.equal(
      expected.headers['www-authenticate'],
      `Nostr realm="127.0.0.1:${server.port}", method="GET", Basic realm="127.0.0.1:${server.port}"`,
    );
    assert.equal(expected.headers['access-control-allow-origin'], '*');
    const missing = new Repository(server, { owner: member, identifier: 'missing' });
    for (const url of [refs(repository), `${repository.url}/HEAD`, missing.url, refs(missing)]) {
      assert.deepEqual(plain(await request(url)), expected, url);
      for (const token of [
        'rubbish',
        credential(stranger, repository.url),
        credential(member, repository.url, { created_at: now() - 70 }),
        credential(member, repository.url, { method: 'POST' }),
        credential(member, `${repository.url}/info/refs`),
        credential(member, `${server.origin}/other.git`),
      ]) {
        assert.deepEqual(plain(await request(url, bearer(token))), expected, url);
      }
    }
    assert.equal((await request(repository.url, { method: 'OPTIONS' })).status, 204);
    assert.deepEqual(
      plain(await request(`${repository.url}/git-receive-pack`, { method: 'POST', body: '0000' })),
      expected,
    );
  });

  it('shows members the page, and says when there is no repository', async () => {
    const page = await request(repository.url, bearer(credential(member, repository.url)));
    assert.equal(page.status, 200);
    assert.match(page.body, /my project/);
    const missing = new Repository(server, { owner: member, identifier: 'missing' });
    assert.equal(await status(credential(member, missing.url), refs(missing)), 404);
  });

  it('allows clocks to differ by a minute', async () => {
    for (const off of [-50, 50]) {
      const token = credential(colleague, repository.url, { created_at: now() + off });
      assert.equal(await status(token), 200, `${off}`);
    }
    for (const off of [-70, 70]) {
      const token = credential(colleague, repository.url, { created_at: now() + off });
      assert.equal(await status(token), 401, `${off}`);
    }
  });

  it('takes a credential again on its own root, and on no other', async () => {
    const token = credential(member, repository.url);
    assert.equal(await status(token), 200);
    assert.equal(await status(token), 200);
    const other = new Repository(server, { owner: member, identifier: 'other' });
    assert.equal(await status(token, refs(other)), 401);
  });

  it('is cloned, fetched and pushed to with a header', async () => {
    const copy = await checkoutOf(colleague, repository);
    await copy.git('fetch', '--quiet', repository.url, 'main');
    await copy.git('reset', '--quiet', '--hard', 'FETCH_HEAD');
    const commit = await copy.commit();
    const client = await enter(server, member);
    await repository.declare(client, { 'refs/heads/main': commit });
    await copy.git('push', '--quiet', repository.url, 'HEAD:refs/heads/main');
    client.close();
  });

  it('is cloned and pushed to by git alone, with a password', async () => {
    const token = credential(member, repository.url);
    const copy = await Checkout.create();
    const url = repository.url.replace('http://', `http://anybody:${encodeURIComponent(token)}@`);
    await copy.git('clone', '--quiet', url, 'copy');
  });

  it('is cloned, fetched and pushed to by git with our credential helper', async () => {
    const copy = await Checkout.create();
    await mkdir(`${copy.directory}/.config/graspd`, { recursive: true });
    await writeFile(
      `${copy.directory}/.config/graspd/key`,
      Buffer.from(member.secret).toString('hex'),
      { mode: 0o600 },
    );
    const at = `credential.${server.origin}`;
    await copy.git('config', '--global', `${at}.helper`, `!${binary} credential`);
    const untold = await copy.fails('clone', repository.url, 'untold');
    assert.match(untold, /useHttpPath true/);
    await copy.git('config', '--global', `${at}.useHttpPath`, 'true');
    await copy.git('clone', '--quiet', repository.url, 'clone');
    const clone = new Checkout(`${copy.directory}/clone`);
    clone.environment = { HOME: copy.directory };
    const commit = await clone.commit();
    const client = await enter(server, member);
    await repository.declare(client, { 'refs/heads/main': commit });
    await clone.git('push', '--quiet', 'origin', 'main');
    await clone.git('fetch', '--quiet');
    assert.equal(await clone.git('rev-parse', 'origin/main'), commit);
    client.close();
  });

  it('is cloned and pushed to by isomorphic-git', async () => {
    const headers = { Authorization: `Nostr ${credential(member, repository.url)}` };
    const dir = `${(await Checkout.create()).directory}/clone`;
    await git.clone({ fs, http, dir, url: repository.url, headers });
    await fs.promises.writeFile(`${dir}/new.txt`, 'new');
    await git.add({ fs, dir, filepath: 'new.txt' });
    const author = { name: 'I', email: 'i@example.com' };
    const oid = await git.commit({ fs, dir, author, message: 'from a browser' });
    const client = await enter(server, member);
    await repository.declare(client, { 'refs/heads/main': oid });
    const result = await git.push({ fs, http, dir, remote: 'origin', ref: 'main', headers });
    assert.ok(result.ok);
    client.close();
    // As it asks for a user name and a password.
    const onAuth = () => ({ username: 'x', password: credential(member, repository.url) });
    const again = `${(await Checkout.create()).directory}/clone`;
    await git.clone({ fs, http, dir: again, url: repository.url, onAuth });
  });

  it('refuses git without a credential, and with a stranger’s', async () => {
    const copy = await Checkout.create();
    await copy.fails('clone', repository.url, 'copy');
    const wrong = await checkoutWith(
      `Authorization: Nostr ${credential(stranger, repository.url)}`,
    );
    await wrong.fails('clone', repository.url, 'copy');
  });

  it('ends a clone when its member is removed', async () => {
    const large = new Repository(server, { owner: member, identifier: 'large' });
    const copy = await checkoutOf(member, large);
    const noise = Buffer.alloc(24 << 20);
    for (let i = 0; i < noise.length; i += 4) noise.writeInt32LE((Math.random() * 2 ** 32) | 0, i);
    await copy.commit('noise', { 'noise.bin': noise });
    await publishPrivately(server, large, { checkout: copy });

    // A client that stops reading in the middle of the answer.
    const headers = {
      authorization: `Nostr ${credential(colleague, large.url)}`,
      'content-type': 'application/x-git-upload-pack-request',
    };
    const tip = await copy.git('rev-parse', 'HEAD');
    const line = (text) => (text.length + 4).toString(16).padStart(4, '0') + text;
    const body = `${line(`want ${tip} no-progress ofs-delta\n`)}0000${line('done\n')}`;
    const outgoing = plainHttp.request(`${large.url}/git-upload-pack`, {
      method: 'POST',
      headers,
      agent: false,
    });
    outgoing.on('error', () => {});
    outgoing.end(body);
    const [response] = await within(once(outgoing, 'response'), () => 'an answer');
    assert.equal(response.statusCode, 200);
    const ended = new Promise((resolve) => {
      response.on('error', () => resolve('cut'));
      response.on('aborted', () => resolve('cut'));
      response.on('end', () => resolve('finished'));
    });
    await within(once(response, 'readable'), () => 'the first bytes'); // nobody reads on
    await changeMembers(server, [member]);
    let received = 0;
    response.on('data', (part) => (received += part.length));
    response.resume();
    assert.equal(await within(ended, () => `the end of the answer after ${received} bytes`), 'cut');
    assert.ok(received < noise.length, `${received} bytes came`);
    outgoing.destroy();
    await changeMembers(server, [member, colleague]);
  });

  it('keeps its status pages for the operator', async () => {
    for (const path of ['/metrics', '/sync', '/api/sync']) {
      assert.equal((await server.get(path)).status, 404, path);
    }
    const home = await server.get('/');
    assert.equal(home.status, 200);
    assert.doesNotMatch(home.body, /my project/);
    const told = await privateServer([member], { NGIT_STATUS_TOKEN: 'sixteen-letters-and-more' });
    for (const path of ['/metrics', '/sync', '/api/sync']) {
      assert.equal((await told.get(path)).status, 401, path);
      const headers = { authorization: 'Bearer sixteen-letters-and-more' };
      assert.equal((await told.get(path, { headers })).status, 200, path);
    }
    await told.stop();
  });
});

describe('The root that a credential names', () => {
  it('is spelled as people like, below the mount, at the public origin', async () => {
    const server = await privateServer([member], {
      NGIT_DOMAIN: 'Private.Example:443',
      NGIT_BASE_PATH: '/grasp',
    });
    const repository = new Repository(server, { owner: member });
    const below = `/grasp/${repository.npub}/project.git`;
    for (const root of [
      `https://private.example${below}`,
      `https://PRIVATE.Example:443${below}`,
      `https://private.example${below.replace('project', '%70roject')}`,
    ]) {
      const { status } = await request(refs(repository), bearer(credential(member, root)));
      assert.equal(status, 404, root); // no such repository, for a member
    }
    for (const root of [
      `http://private.example${below}`,
      `https://private.example/${repository.npub}/project.git`,
    ]) {
      const { status } = await request(refs(repository), bearer(credential(member, root)));
      assert.equal(status, 401, root);
    }
    await server.stop();
    const other = await privateServer([member], {
      NGIT_DOMAIN: 'private.example',
      NGIT_PRIVATE_PUBLIC_ORIGIN: 'http://Inside.Example:8080/',
    });
    const there = new Repository(other, { owner: member });
    const root = `http://inside.example:8080${there.path}`;
    const answer = await request(refs(there), bearer(credential(member, root)));
    assert.equal(answer.status, 404);
    await other.stop();
  });
});
