// Everything that is not a WebSocket: routes, methods, CORS, mounting (NIP-05, NIP-11).
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Author } from '../helpers/events.mjs';
import { Client, request, sharedServer } from '../helpers/harness.mjs';

function hasCors(headers, what) {
  assert.equal(headers['access-control-allow-origin'], '*', what);
  assert.match(headers['access-control-allow-methods'], /\bGET\b.*\bPOST\b/, what);
  for (const name of ['Content-Type', 'Authorization']) {
    assert.match(headers['access-control-allow-headers'], new RegExp(name, 'i'), what);
  }
}

describe('HTTP', () => {
  const relay = sharedServer();

  it('serves a name for the relay itself (NIP-05)', async () => {
    const { pubkey } = await relay.server.information();
    for (const target of ['/.well-known/nostr.json', '/.well-known/nostr.json?name=_']) {
      const { status, headers, body } = await relay.server.get(target);
      assert.equal(status, 200);
      assert.match(headers['content-type'], /^application\/json/);
      assert.deepEqual(JSON.parse(body).names, { _: pubkey });
    }
    const nip11 = await relay.server.get('/.well-known/nostr.json', {
      headers: { accept: 'application/nostr+json' },
    });
    assert.deepEqual(JSON.parse(nip11.body).names, { _: pubkey });
  });

  it('says that it lives and that it is ready', async () => {
    for (const target of ['/healthz', '/readyz']) {
      for (const method of ['GET', 'HEAD']) {
        const { status, body } = await relay.server.get(target, { method });
        assert.equal(status, 200, `${method} ${target}`);
        if (method === 'HEAD') assert.equal(body, '');
      }
    }
  });

  it('serves metrics as text', async () => {
    const { status, headers, body } = await relay.server.get('/metrics');
    assert.equal(status, 200);
    assert.match(headers['content-type'], /^text\/plain/);
    assert.match(body, /^# TYPE ngit_/m);
  });

  it('answers a browser at the root with something readable', async () => {
    const { status, body } = await relay.server.get('/', { headers: { accept: 'text/html' } });
    assert.equal(status, 200);
    assert.ok(body.length > 0);
  });

  it('knows no other path', async () => {
    for (const target of [
      '/nowhere',
      '/metrics/x',
      '/healthz/',
      '/%2e%2e/etc/passwd',
      '/.well-known/other',
      '/%C3%A4',
      '//',
    ]) {
      const { status } = await relay.server.get(target);
      assert.equal(status, 404, target);
    }
  });

  it('does not repeat the path of a page that is not there as markup', async () => {
    const { body } = await relay.server.get('/%3Cscript%3Ealert(1)%3C/script%3E');
    assert.doesNotMatch(body, /<script>alert/);
  });

  it('answers OPTIONS with 204 anywhere', async () => {
    for (const target of ['/', '/metrics', '/nowhere', '/a/b.git/info/refs', '*']) {
      const { status, headers, body } = await relay.server.get(target === '*' ? '/' : target, {
        method: 'OPTIONS',
      });
      assert.deepEqual([status, body], [204, ''], target);
      hasCors(headers, target);
    }
  });

  it('allows every origin, on every answer', async () => {
    for (const target of ['/', '/nowhere', '/healthz', '/metrics', '/.well-known/nostr.json']) {
      hasCors(
        (await relay.server.get(target, { headers: { origin: 'https://example.org' } })).headers,
        target,
      );
    }
    hasCors(
      (await relay.server.get('/', { headers: { accept: 'application/nostr+json' } })).headers,
      'NIP-11',
    );
  });

  it('refuses methods that have no meaning here', async () => {
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH']) {
      const { status, headers } = await relay.server.get('/', { method });
      assert.ok([404, 405].includes(status), `${method}: ${status}`);
      hasCors(headers, method);
    }
  });

  it('answers HEAD as GET without the body', async () => {
    for (const target of ['/', '/nowhere', '/.well-known/nostr.json']) {
      const [get, head] = [
        await relay.server.get(target),
        await relay.server.get(target, { method: 'HEAD' }),
      ];
      assert.deepEqual([head.status, head.body], [get.status, ''], target);
      assert.equal(head.headers['content-type'], get.headers['content-type']);
    }
  });

  it('has its WebSocket at the root only', async () => {
    await assert.rejects(Client.connect(`${relay.server.url}/elsewhere`), /404/);
    const client = await Client.connect(`${relay.server.url}/?query=1`);
    await client.alive();
  });
});

describe('a server below a path', () => {
  const relay = sharedServer({ NGIT_BASE_PATH: '/grasp' });
  const at = (target, options) => request(`${relay.server.origin}${target}`, options);
  const accept = { accept: 'application/nostr+json' };

  it('has everything below that path', async () => {
    for (const target of ['/grasp', '/grasp/']) {
      const { status, body } = await at(target, { headers: accept });
      assert.equal(status, 200, target);
      assert.ok(!JSON.parse(body).supported_nips.includes(5));
    }
    for (const target of ['/grasp/metrics', '/grasp/healthz', '/grasp/readyz']) {
      assert.equal((await at(target)).status, 200, target);
    }
  });

  it('has nothing beside it', async () => {
    for (const target of ['/', '/graspx', '/grasp2/metrics', '/GRASP', '/metrics']) {
      assert.equal((await at(target, { headers: accept })).status, 404, target);
    }
  });

  it('gives no names, since those belong to the root', async () => {
    assert.equal((await at('/.well-known/nostr.json')).status, 404);
    assert.equal((await at('/grasp/.well-known/nostr.json')).status, 404);
  });

  it('answers OPTIONS beside it too', async () => {
    for (const target of ['/', '/elsewhere', '/grasp', '/grasp/x']) {
      assert.equal((await at(target, { method: 'OPTIONS' })).status, 204, target);
    }
  });

  it('is known to its clients with and without a slash at the end', async () => {
    for (const suffix of ['', '/']) {
      const client = await Client.connect(relay.server.url);
      const author = new Author();
      await client.publish(author.sign({ tags: [['-']] }));
      const [, challenge] = await client.next('AUTH');
      const tags = [
        ['relay', `${relay.server.url}${suffix}`],
        ['challenge', challenge],
      ];
      const answer = author.sign({ kind: 22242, tags });
      client.send('AUTH', answer);
      assert.deepEqual((await client.next('OK', answer.id)).slice(2), [true, ''], suffix);
      client.close();
    }
  });

  it('takes connections with and without a slash at the end, and no others', async () => {
    for (const suffix of ['', '/']) {
      const client = await Client.connect(`${relay.server.url}${suffix}`);
      await client.alive();
    }
    const elsewhere = relay.server.origin.replace('http', 'ws');
    await assert.rejects(Client.connect(`${elsewhere}/`), /404/);
  });
});

describe('a server without metrics', () => {
  const relay = sharedServer({ NGIT_METRICS_ENABLED: 'false' });

  it('does not have the page', async () => {
    assert.equal((await relay.server.get('/metrics')).status, 404);
    assert.equal((await relay.server.get('/readyz')).status, 200);
  });
});
