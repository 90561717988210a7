// The websocket of a private service (GRASP-08): nothing before a member is known.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Relay } from 'nostr-tools/relay';
import { useWebSocketImplementation } from 'nostr-tools/relay';
import { WebSocket } from 'ws';
import { finalizeEvent } from 'nostr-tools/pure';
import { Author, now } from '../helpers/events.mjs';
import { Client, Server } from '../helpers/harness.mjs';
import { Repository } from '../helpers/repository.mjs';
import {
  answer,
  authenticate,
  changeMembers,
  enter,
  knock,
  privateServer,
  publishPrivately,
} from '../helpers/private.mjs';

useWebSocketImplementation(WebSocket);

const member = new Author();
const colleague = new Author();
const stranger = new Author();

describe('The gate of a private service', () => {
  let server;
  before(async () => (server = await privateServer([member, colleague])));
  after(() => server.stop());

  it('challenges at once and answers everything else with auth-required', async () => {
    const { client } = await knock(server);
    const note = stranger.sign();
    client.send('EVENT', note);
    assert.deepEqual(await client.next('OK'), [
      'OK',
      note.id,
      false,
      'auth-required: authenticate before publishing',
    ]);
    client.send('REQ', 'r', {});
    assert.deepEqual(await client.next('CLOSED'), [
      'CLOSED',
      'r',
      'auth-required: authenticate before reading',
    ]);
    client.send('COUNT', 'c', {});
    assert.equal((await client.next('CLOSED'))[2], 'auth-required: authenticate before reading');
    client.send('NEG-OPEN', 'n', {}, '61');
    assert.equal((await client.next('NEG-ERR'))[2], 'auth-required: authenticate before syncing');
    client.send('CLOSE', 'r');
    client.sendText('nonsense');
    for (let i = 0; i < 2; ++i) {
      assert.equal(
        (await client.next('NOTICE'))[1],
        'auth-required: authenticate before sending relay messages',
      );
    }
    client.close();
  });

  it('lets members in and sends strangers away', async () => {
    const { client, accepted, text } = await authenticate(server, member);
    assert.deepEqual([accepted, text], [true, '']);
    await client.alive();
    client.close();
    const other = await authenticate(server, stranger);
    assert.deepEqual(
      [other.accepted, other.text],
      [false, 'restricted: authenticated pubkey is not whitelisted'],
    );
    await other.client.closed();
  });

  it('ends a connection after three wrong answers', async () => {
    const { client } = await knock(server);
    for (let i = 0; i < 3; ++i) {
      const wrong = answer(member, 'another challenge', server.url, { created_at: now() - i });
      client.send('AUTH', wrong);
      const [, , accepted, text] = await client.next('OK', wrong.id);
      assert.deepEqual([accepted, text], [false, 'auth-required: invalid NIP-42 authentication']);
    }
    await client.closed();
  });

  it('ends a connection after twenty messages and on a large one', async () => {
    const { client } = await knock(server);
    for (let i = 0; i < 21; ++i) client.send('REQ', `r${i}`, {});
    await client.closed();
    const large = await knock(server);
    large.client.send('REQ', 'r', { '#t': ['x'.repeat(17_000)] });
    assert.equal((await large.client.closed()).code, 1009);
  });

  it('allows clocks to differ by two minutes', async () => {
    for (const off of [-110, -70, -50, 50, 70, 110]) {
      const { client, accepted } = await authenticate(server, member, { created_at: now() + off });
      assert.ok(accepted, `${off} s`);
      client.close();
    }
    for (const off of [-130, 130]) {
      const { client, accepted } = await authenticate(server, member, { created_at: now() + off });
      assert.ok(!accepted, `${off} s`);
      client.close();
    }
  });

  it('does not let an answer count twice', async () => {
    const { client, challenge } = await knock(server);
    const event = answer(member, challenge, server.url);
    client.send('AUTH', event);
    assert.ok((await client.next('OK'))[2]);
    const again = await knock(server);
    again.client.send('AUTH', event);
    assert.ok(!(await again.client.next('OK'))[2]);
    client.close();
    again.client.close();
  });

  it('belongs to one key for each connection', async () => {
    const { client, challenge } = await knock(server);
    client.send('AUTH', answer(member, challenge, server.url));
    await client.next('OK');
    const second = answer(colleague, challenge, server.url);
    client.send('AUTH', second);
    assert.match((await client.next('OK', second.id))[3], /^restricted: /);
    client.close();
  });

  it('works with nostr-tools', async () => {
    const relay = new Relay(server.url);
    await relay.connect();
    const sign = async (draft) => finalizeEvent(draft, member.secret);
    const refused = await new Promise((resolve) => {
      relay.subscribe([{ kinds: [30617] }], { onclose: resolve });
    });
    assert.match(refused, /auth-required/);
    await relay.auth(sign);
    const finished = await new Promise((resolve) => {
      relay.subscribe([{ kinds: [30617] }], { oneose: () => resolve('eose'), onclose: resolve });
    });
    assert.equal(finished, 'eose');
    relay.close();
  });

  it('says so in NIP-11', async () => {
    const information = await server.information();
    assert.equal(information.limitation.auth_required, true);
    assert.equal(information.supported_grasps.at(-1), 'GRASP-08');
    for (const nip of [42, 70, 98]) assert.ok(information.supported_nips.includes(nip), `${nip}`);
  });
});

describe('A private service', () => {
  let server;
  before(async () => (server = await privateServer([member, colleague])));
  after(() => server.stop());

  it('takes announcements of members only, and lists of private servers from them', async () => {
    const client = await enter(server, member);
    const own = new Repository(server, { owner: member, identifier: 'own' });
    assert.ok((await client.publish(own.announcement()))[0]);
    const foreign = new Repository(server, { owner: stranger });
    assert.deepEqual(await client.publish(foreign.announcement()), [
      false,
      'invalid: Announcement author is not authorized on this private service',
    ]);
    assert.deepEqual(await client.publish(member.sign({ kind: 10318 })), [true, '']);
    assert.ok(!(await client.publish(stranger.sign({ kind: 10318 })))[0]);
    client.close();
  });

  it('publishes protected events of the member who sends them (NIP-70)', async () => {
    const repository = new Repository(server, { owner: member, identifier: 'protected' });
    await publishPrivately(server, repository);
    const client = await enter(server, member);
    const note = (author) =>
      author.sign({ kind: 1621, tags: [['-'], ['a', repository.address]], content: 'mine' });
    assert.deepEqual(await client.publish(note(member)), [true, '']);
    assert.match((await client.publish(note(colleague)))[1], /^restricted: /);
    client.close();
  });

  it('ends the sessions of a removed member at once, in the middle of a subscription', async () => {
    const repository = new Repository(server, { owner: member, identifier: 'watched' });
    await publishPrivately(server, repository);
    const [staying, removed] = [await enter(server, member), await enter(server, colleague)];
    await removed.subscribe('all', {});
    await staying.subscribe('all', {});
    await changeMembers(server, [member]);
    const issue = member.sign({ kind: 1621, tags: [['a', repository.address]], content: 'secret' });
    assert.deepEqual(await staying.publish(issue), [true, '']);
    await staying.next((message) => message[0] === 'EVENT' && message[2].id === issue.id);
    await removed.closed();
    assert.ok(!JSON.stringify(removed.queue).includes(issue.id));
    const again = await authenticate(server, colleague);
    assert.ok(!again.accepted);
    await changeMembers(server, [member, colleague]);
    (await enter(server, colleague)).close();
    staying.close();
  });

  it('limits connections that prove nothing', async () => {
    const open = [];
    let refused = 0;
    for (let i = 0; i < 70; ++i) {
      await Client.connect(server.url).then(
        (client) => open.push(client),
        () => (refused += 1),
      );
    }
    assert.equal(open.length, 64);
    assert.equal(refused, 6);
    open.forEach((client) => client.close());
  });
});

describe('The start of a private service', () => {
  async function complaint(settings) {
    const server = await Server.start({ NGIT_ACCEPT: 'grasp', ...settings }, { ready: false });
    const { code } = await server.exit();
    assert.notEqual(code, 0);
    return server.output;
  }

  it('is refused without members, with members alone, and with a wrong member', async () => {
    assert.match(await complaint({ NGIT_PRIVATE_MODE: 'true' }), /without members/);
    const hex = member.pubkey;
    assert.match(await complaint({ NGIT_PRIVATE_MEMBERS: hex }), /the service is public/);
    assert.match(
      await complaint({ NGIT_PRIVATE_MODE: 'true', NGIT_PRIVATE_MEMBERS: `${hex},bob` }),
      /"bob", which is no npub/,
    );
    assert.match(
      await complaint({
        NGIT_PRIVATE_MODE: 'true',
        NGIT_PRIVATE_MEMBERS: hex,
        NGIT_GRASP06_ENABLE: 'true',
      }),
      /NGIT_GRASP06_ENABLE/,
    );
  });
});

describe('The name of a private service', () => {
  it('may be written in upper case, with a port and a mount', async () => {
    const server = await privateServer([member], {
      NGIT_DOMAIN: 'Private.Example:443',
      NGIT_BASE_PATH: '/grasp',
    });
    for (const relay of [
      'wss://private.example/grasp',
      'wss://PRIVATE.example:443/grasp/',
      'ws://private.example/grasp',
    ]) {
      const { client, accepted } = await authenticate(server, member, { relay });
      assert.ok(accepted, relay);
      client.close();
    }
    const { accepted, client } = await authenticate(server, member, { relay: 'wss://private.example' });
    assert.ok(!accepted);
    client.close();
    await server.stop();
  });
});
