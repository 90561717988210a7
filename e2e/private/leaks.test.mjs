// Everything that leaves a private service (GRASP-08) outside of its members' sessions, while they
// are busy: answers to strangers, requests to other servers, log lines. None of it tells of a
// repository, a person or an event.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import http from 'node:http';
import { after, before, describe, it } from 'node:test';
import * as nip19 from 'nostr-tools/nip19';
import { WebSocketServer } from 'ws';
import { Author } from '../helpers/events.mjs';
import { request, until } from '../helpers/harness.mjs';
import {
  answer,
  checkoutOf,
  checkoutWith,
  credential,
  enter,
  knock,
  privateServer,
} from '../helpers/private.mjs';
import { Repository } from '../helpers/repository.mjs';
import { kFollows } from '../helpers/sync_servers.mjs';

// A public server that a careless member lists: it keeps what it is sent.
async function eavesdropper() {
  const heard = [];
  const server = http.createServer((incoming, outgoing) => {
    heard.push(`${incoming.method} ${incoming.url} ${JSON.stringify(incoming.rawHeaders)}`);
    incoming.on('data', (part) => heard.push(part.toString('latin1')));
    const information = incoming.headers.accept === 'application/nostr+json';
    outgoing.writeHead(information ? 200 : 404, { 'content-type': 'application/nostr+json' });
    outgoing.end(information ? JSON.stringify({ name: 'public', supported_nips: [1] }) : '');
  });
  new WebSocketServer({ server }).on('connection', (socket, incoming) => {
    heard.push(`websocket ${incoming.url}`);
    socket.on('message', (data) => heard.push(data.toString()));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  return { heard, server, http: `http://127.0.0.1:${port}`, ws: `ws://127.0.0.1:${port}` };
}

const [owner, colleague, stranger] = [new Author(), new Author(), new Author()];
const kName = 'Operation Nightingale';

describe('Nothing leaks from a busy private service', () => {
  let server, peer, repository;
  const secrets = new Map(); // what must not be seen -> what it is
  const seen = []; // [where, text]
  const keep = (what, ...texts) => texts.forEach((text) => secrets.set(text, what));

  before(async () => {
    peer = await eavesdropper();
    server = await privateServer([owner, colleague], kFollows);
    repository = new Repository(server, { owner, identifier: 'nightingale plans' });
    keep('an identifier', 'nightingale plans', 'nightingale%20plans');
    keep('a name', kName, 'kept very secret');
    keep('a branch', 'unannounced-feature');
    for (const person of [owner, colleague])
      keep('a member', person.pubkey, nip19.npubEncode(person.pubkey));
  });
  after(async () => {
    await server.stop();
    peer.server.closeAllConnections?.();
    peer.server.close();
  });

  it('while members work', async () => {
    const [first, second] = [await enter(server, owner), await enter(server, colleague)];
    const announcement = repository.announcement({
      clone: [repository.url, `${peer.http}${repository.path}`],
      relays: [server.url, peer.ws],
      tags: [
        ['private', 'true'],
        ['description', 'kept very secret'],
      ],
    });
    announcement.tags.find(([name]) => name === 'name')[1] = kName;
    const announced = owner.sign({ kind: 30617, tags: announcement.tags });
    keep('an event', announced.id);
    await first.publishAll([announced]);
    const copy = await checkoutOf(owner, repository);
    for (let round = 0; round < 5; ++round) {
      const commit = await copy.commit();
      await copy.git('branch', '--force', 'unannounced-feature');
      const state = repository.state(await copy.refs());
      keep('an event', state.id);
      keep('a commit', commit);
      await first.publishAll([state]);
      if (round === 2) continue; // its data never comes: a fetch is tried
      await copy.git('push', '--quiet', '--force', repository.url, 'refs/heads/*');
      const issue = colleague.sign({ kind: 1621, tags: [['a', repository.address]], content: kName });
      const pull = repository.pullRequest(commit, { by: colleague });
      keep('an event', issue.id, pull.id);
      await second.publishAll([issue]);
      await second.publish(pull);
      await second.query({ kinds: [1621, 30617, 30618] });
      const reader = await checkoutOf(colleague, repository);
      await reader.git('fetch', '--quiet', repository.url, 'unannounced-feature');
      await reader.commit();
      await reader.fails('push', repository.url, 'HEAD:refs/heads/unannounced-feature');
    }
    const lost = repository.state({ 'refs/heads/unannounced-feature': 'ab'.repeat(20) });
    keep('an event', lost.id);
    await first.publish(lost);
    const gone = owner.deletion([['e', lost.id]]);
    keep('an event', gone.id);
    await first.publish(gone);
    await until(() => peer.heard.length > 0, 'a question to the listed server');
    await server.logged(/leaves it alone/);
    await second.publish(colleague.deletion([['k', '1621']]));
    [first, second].forEach((client) => client.close());
  });

  it('while strangers look around', async () => {
    const look = async (path, options) => {
      const { status, headers, body } = await server.get(path, options);
      seen.push([`${options?.method ?? 'GET'} ${path}`, `${status} ${JSON.stringify(headers)} ${body}`]);
    };
    const guess = new Repository(server, { owner: stranger, identifier: 'guess' });
    for (const path of [
      ...['/', '/.well-known/nostr.json', '/metrics', '/sync', '/api/sync', '/healthz', '/readyz'],
      ...['/robots.txt', '/icon.png', '/nothing', '/prs/', '/api/verify', '/api/sync/retry'],
      ...[guess.path, `${guess.path}/info/refs?service=git-upload-pack`, `${guess.path}/HEAD`],
    ]) {
      await look(path);
      await look(path, { method: 'POST', body: '0000' });
      await look(path, { method: 'OPTIONS' });
      await look(path, {
        headers: { authorization: `Nostr ${credential(stranger, server.origin + path)}` },
      });
    }
    await look('/', { headers: { accept: 'application/nostr+json' } });
    // They know an address: its answers tell no more than those of any other.
    for (const path of [repository.path, `${repository.path}/info/refs?service=git-upload-pack`]) {
      const { status, headers, body } = await request(server.origin + path);
      seen.push([`a known path`, `${status} ${JSON.stringify(headers)} ${body}`]);
    }
    const { client, challenge } = await knock(server);
    client.send('REQ', 'all', {});
    client.send('COUNT', 'count', {});
    client.send('NEG-OPEN', 'neg', {}, '6100000200');
    client.send('EVENT', stranger.sign({ kind: 1621, tags: [['a', '30617:x:y']] }));
    client.sendText('rubbish');
    client.send('AUTH', answer(stranger, challenge, server.url));
    await client.closed();
    seen.push(['websocket', JSON.stringify(client.queue)]);
    const wrong = await checkoutWith(`Authorization: Nostr ${credential(stranger, repository.url)}`);
    await wrong.fails('ls-remote', repository.url);
  });

  it('finds no secret in what was seen', async () => {
    assert.ok(seen.length > 40);
    assert.ok(server.output.split('\n').length > 3);
    assert.ok(peer.heard.every((line) => !line.startsWith('websocket')), peer.heard.join('\n'));
    const texts = [
      ...seen,
      ...server.output.split('\n').map((line) => ['the log', line]),
      ...peer.heard.map((line) => ['a public server', line]),
    ];
    for (const [where, text] of texts) {
      for (const [secret, what] of secrets) {
        assert.ok(!text.includes(secret), `${where} shows ${what}: ${text.slice(0, 500)}`);
      }
    }
  });
});
