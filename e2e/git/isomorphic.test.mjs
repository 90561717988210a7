// isomorphic-git, which browsers use: protocol version 0, no gzip, CORS before anything else.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { describe, it } from 'node:test';
import git from 'isomorphic-git';
import http from 'isomorphic-git/http/node';
import { request } from '../helpers/harness.mjs';
import { Checkout, remoteRefs, Repository, sharedHost } from '../helpers/repository.mjs';

const author = { name: 'I', email: 'i@example.com' };

// What a browser asks before it sends a request of this kind to another site.
async function preflight(url, method, ...headers) {
  const answer = await request(url, {
    method: 'OPTIONS',
    headers: {
      origin: 'https://app.example',
      'access-control-request-method': method,
      'access-control-request-headers': headers.join(','),
    },
  });
  assert.equal(answer.status, 204);
  assert.ok(['*', 'https://app.example'].includes(answer.headers['access-control-allow-origin']));
  assert.match(answer.headers['access-control-allow-methods'], new RegExp(`\\b${method}\\b`));
  const allowed = answer.headers['access-control-allow-headers'].toLowerCase().split(/, */);
  for (const header of headers) assert.ok(allowed.includes(header), `${header} in ${allowed}`);
}
// As a browser would, for each request the library makes.
const likeABrowser = {
  async request(what) {
    const headers = Object.keys(what.headers ?? {}).map((name) => name.toLowerCase());
    await preflight(
      what.url,
      what.method ?? 'GET',
      ...headers.filter((name) => name !== 'user-agent'),
    );
    const answer = await http.request(what);
    assert.equal(answer.headers['access-control-allow-origin'], '*');
    return answer;
  },
};

describe('isomorphic-git', () => {
  const host = sharedHost();

  it('clones, commits and pushes', async () => {
    const repository = new Repository(host.server);
    const original = await repository.publish(host.client);
    const dir = (await Checkout.create()).directory + '/clone';
    await git.clone({ fs, http: likeABrowser, dir, url: repository.url });
    assert.equal(
      await git.resolveRef({ fs, dir, ref: 'HEAD' }),
      await original.git('rev-parse', 'HEAD'),
    );

    await fs.promises.writeFile(`${dir}/new.txt`, 'new');
    await git.add({ fs, dir, filepath: 'new.txt' });
    const oid = await git.commit({ fs, dir, author, message: 'from a browser' });
    await repository.declare(host.client, { 'refs/heads/main': oid });
    const result = await git.push({ fs, http: likeABrowser, dir, remote: 'origin', ref: 'main' });
    assert.equal(result.ok, true);
    assert.equal((await remoteRefs(repository.url)).HEAD, oid);
  });

  it('clones to a depth', async () => {
    const repository = new Repository(host.server);
    const copy = await Checkout.create();
    for (const message of ['one', 'two', 'three']) await copy.commit(message);
    await repository.publish(host.client, { checkout: copy });
    const dir = (await Checkout.create()).directory + '/clone';
    await git.clone({
      fs,
      http: likeABrowser,
      dir,
      url: repository.url,
      depth: 1,
      singleBranch: true,
    });
    assert.equal((await git.log({ fs, dir })).length, 1);
  });

  it('pushes to an empty repository, and deletes a branch', async () => {
    const repository = new Repository(host.server);
    await host.client.publishAll([repository.announcement()]);
    const copy = await Checkout.create();
    const tip = await copy.commit();
    await copy.git('branch', 'extra');
    await repository.declare(host.client, await copy.refs());
    // It pushes one ref at a time: a state that declares two needs one push for each, or git.
    await copy.git('push', '--quiet', repository.url, '--all');
    await repository.declare(host.client, { 'refs/heads/main': tip });
    const dir = copy.directory;
    const target = { fs, http: likeABrowser, dir, url: repository.url };
    const result = await git.push({
      ...target,
      ref: 'extra',
      remoteRef: 'refs/heads/extra',
      delete: true,
    });
    assert.equal(result.ok, true);
    assert.deepEqual(await remoteRefs(repository.url), { HEAD: tip, 'refs/heads/main': tip });
  });

  it('shows why a push was refused', async () => {
    const repository = new Repository(host.server);
    await repository.publish(host.client);
    const dir = (await Checkout.create()).directory + '/clone';
    await git.clone({ fs, http: likeABrowser, dir, url: repository.url });
    await git.commit({ fs, dir, author, message: 'not signed' });
    await assert.rejects(
      git.push({ fs, http: likeABrowser, dir, remote: 'origin', ref: 'main' }),
      (error) => {
        const reason = error.data.result.refs['refs/heads/main'].error;
        assert.match(reason, /refs\/heads\/main would be at [0-9a-f]{40} but the state declares/);
        return true;
      },
    );
  });
});
