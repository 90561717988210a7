// Authentication (NIP-42) and events that only their author may publish (NIP-70).
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Author, now, randomHex } from '../helpers/events.mjs';
import { sharedServer } from '../helpers/harness.mjs';

const kProtected = [['-']];
const kAskAuthor = [false, 'auth-required: this event may only be published by its author'];
const kOtherAuthor = [false, 'restricted: this event may only be published by its author'];

describe('authentication', () => {
  const relay = sharedServer();

  // The challenge comes when it is first needed.
  async function challenged() {
    const client = await relay.connect();
    const author = new Author();
    await client.publish(author.sign({ tags: kProtected }));
    const [, challenge] = await client.next('AUTH');
    return { client, author, challenge };
  }
  function answer(author, challenge, { relay: url = relay.server.url, ...rest } = {}) {
    return author.sign({
      kind: 22242,
      tags: [
        ['relay', url],
        ['challenge', challenge],
      ],
      ...rest,
    });
  }
  async function authenticate(client, event) {
    client.send('AUTH', event);
    return (await client.next('OK', event.id)).slice(2);
  }

  it('is asked for before a protected event is taken', async () => {
    const client = await relay.connect();
    const author = new Author();
    const event = author.sign({ tags: kProtected });
    client.send('EVENT', event);
    const [first, second] = [await client.next(() => true), await client.next(() => true)];
    assert.equal(first[0], 'AUTH');
    assert.ok(typeof first[1] === 'string' && first[1].length >= 16);
    assert.deepEqual(second, ['OK', event.id, ...kAskAuthor]);
    assert.deepEqual(await authenticate(client, answer(author, first[1])), [true, '']);
    assert.deepEqual(await client.publish(event), [true, '']);
    assert.deepEqual(await client.query({ ids: [event.id] }), [event]);
  });

  it('does not let one author publish the protected event of another', async () => {
    const { client, author, challenge } = await challenged();
    const stranger = new Author();
    assert.deepEqual(await authenticate(client, answer(stranger, challenge)), [true, '']);
    const event = author.sign({ tags: kProtected, content: 'mine' });
    assert.deepEqual(await client.publish(event), kOtherAuthor);
    assert.deepEqual(await client.query({ ids: [event.id] }), []);
  });

  it('may be done with several keys on one connection', async () => {
    const { client, author, challenge } = await challenged();
    const second = new Author();
    assert.deepEqual(await authenticate(client, answer(author, challenge)), [true, '']);
    assert.deepEqual(await authenticate(client, answer(second, challenge)), [true, '']);
    for (const one of [author, second])
      assert.deepEqual(await client.publish(one.sign({ tags: kProtected })), [true, '']);
  });

  it('counts for its own connection only', async () => {
    const { client, author, challenge } = await challenged();
    await authenticate(client, answer(author, challenge));
    const other = await relay.connect();
    assert.deepEqual(
      await other.publish(author.sign({ tags: kProtected, content: 'other' })),
      kAskAuthor,
    );
  });

  it('gives every connection another challenge, and takes no answer to an old one', async () => {
    const [first, second] = [await challenged(), await challenged()];
    assert.notEqual(first.challenge, second.challenge);
    const [accepted, text] = await authenticate(
      second.client,
      answer(second.author, first.challenge),
    );
    assert.equal(accepted, false);
    assert.match(text, /^auth-required: /);
  });

  it('takes the address of the relay in other spellings', async () => {
    const { client, challenge } = await challenged();
    const { port } = relay.server;
    for (const url of [
      `ws://127.0.0.1:${port}/`,
      `WS://127.0.0.1:${port}`,
      `wss://127.0.0.1:${port}`,
    ]) {
      assert.deepEqual(
        await authenticate(client, answer(new Author(), challenge, { relay: url })),
        [true, ''],
        url,
      );
    }
  });

  it('refuses answers that are wrong in any part', async () => {
    const { client, author, challenge } = await challenged();
    const wrong = {
      'another kind': answer(author, challenge, { kind: 1 }),
      'another relay': answer(author, challenge, { relay: 'wss://relay.example.com' }),
      'no relay': author.sign({ kind: 22242, tags: [['challenge', challenge]] }),
      'no challenge': author.sign({ kind: 22242, tags: [['relay', relay.server.url]] }),
      'another challenge': answer(author, randomHex(16)),
      'too old': answer(author, challenge, { created_at: now() - 700 }),
      'too new': answer(author, challenge, { created_at: now() + 700 }),
      'a wrong signature': { ...answer(author, challenge), sig: randomHex(64) },
      'a wrong id': { ...answer(author, challenge), id: randomHex(32) },
    };
    for (const [what, event] of Object.entries(wrong)) {
      const [accepted, text] = await authenticate(client, event);
      assert.equal(accepted, false, what);
      assert.match(text, /^auth-required: /, what);
    }
    assert.deepEqual(
      await client.publish(author.sign({ tags: kProtected, content: 'still not' })),
      kAskAuthor,
    );
    assert.deepEqual(await authenticate(client, answer(author, challenge)), [true, '']);
  });

  it('is never shown to others, nor stored', async () => {
    const { client, author, challenge } = await challenged();
    const listener = await relay.connect();
    await listener.subscribe('all', { authors: [author.pubkey] });
    const event = answer(author, challenge);
    await authenticate(client, event);
    const note = author.sign();
    await client.publish(note);
    assert.deepEqual((await listener.next('EVENT', 'all'))[2], note);
    assert.deepEqual(await client.query({ kinds: [22242] }), []);
  });

  it('is not asked for when reading or publishing public data', async () => {
    const client = await relay.connect();
    await client.publish(new Author().sign());
    await client.alive();
    assert.deepEqual(client.taken('AUTH'), []);
  });

  it('tells a client that answers unasked what the challenge is', async () => {
    const client = await relay.connect();
    const author = new Author();
    const [accepted] = await authenticate(client, answer(author, 'guessed'));
    assert.equal(accepted, false);
    const [, challenge] = await client.next('AUTH');
    assert.deepEqual(await authenticate(client, answer(author, challenge)), [true, '']);
  });

  it('answers a malformed AUTH and goes on', async () => {
    const client = await relay.connect();
    for (const message of [['AUTH'], ['AUTH', 'text'], ['AUTH', {}], ['AUTH', null]]) {
      client.send(...message);
      assert.match((await client.next('NOTICE'))[1], /^invalid: /);
    }
    await client.alive();
  });
});

describe('protected events', () => {
  const relay = sharedServer();

  it('may not be carried inside a repost', async () => {
    const client = await relay.connect();
    const [author, reposter] = [new Author(), new Author()];
    const content = JSON.stringify(author.sign({ tags: kProtected }));
    for (const kind of [6, 16]) {
      const expected = [false, 'blocked: repost of a protected event'];
      assert.deepEqual(await client.publish(reposter.sign({ kind, content })), expected);
    }
    const ordinary = JSON.stringify(author.sign());
    assert.deepEqual(await client.publish(reposter.sign({ kind: 6, content: ordinary })), [
      true,
      '',
    ]);
    assert.deepEqual(await client.publish(reposter.sign({ kind: 6, content: 'no event' })), [
      true,
      '',
    ]);
  });

  it('are known by a tag that is only a dash', async () => {
    const client = await relay.connect();
    const author = new Author();
    assert.deepEqual(
      await client.publish(author.sign({ tags: [['-', 'x']], content: 'a' })),
      kAskAuthor,
    );
    assert.deepEqual(
      await client.publish(author.sign({ tags: [['t', '-'], ['--']], content: 'b' })),
      [true, ''],
    );
  });

  it('are protected whatever their kind', async () => {
    const client = await relay.connect();
    const author = new Author();
    for (const kind of [0, 5, 20_001, 30_617]) {
      assert.deepEqual(await client.publish(author.sign({ kind, tags: kProtected })), kAskAuthor);
    }
  });
});

describe('the rate of authentication', () => {
  const relay = sharedServer({ NGIT_MAX_AUTHS_PER_MINUTE: '5' });

  it('is limited', async () => {
    const client = await relay.connect();
    const texts = [];
    for (let i = 0; i < 8; ++i) {
      const event = new Author().sign({ kind: 22242, content: `${i}` });
      client.send('AUTH', event);
      texts.push((await client.next('OK', event.id))[3]);
    }
    assert.equal(texts.filter((text) => text.startsWith('auth-required: ')).length, 5);
    assert.equal(texts.filter((text) => text.startsWith('rate-limited: ')).length, 3);
    await client.alive();
  });
});
