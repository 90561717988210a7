// EVENT and its answer (NIP-01).
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { Author, idOf, now, randomHex } from '../helpers/events.mjs';
import { describeOnEachBackend, sharedServer } from '../helpers/harness.mjs';

describeOnEachBackend('publishing', (relay) => {
  let client;
  const author = new Author();
  before(async () => (client = await relay.connect()));

  it('answers the first copy with OK true and no text', async () => {
    assert.deepEqual(await client.publish(author.sign()), [true, '']);
  });

  it('answers a second copy as a duplicate', async () => {
    const event = author.sign({ content: 'twice' });
    await client.publish(event);
    assert.deepEqual(await client.publish(event), [true, 'duplicate: already have this event']);
  });

  it('serves the event exactly as it was signed', async () => {
    const tags = [
      ['e', randomHex(32), '', 'reply'],
      ['empty'],
      ['t', ''],
      ['client', 'a', 'b', 'c'],
    ];
    const content =
      'quotes " \\ / slashes, \b\f\n\r\t, \u2028\u2029, 🌍 ünï, \ud83d\udc68\u200d\ud83d\udc69, \u007f';
    const event = author.sign({ tags, content });
    assert.deepEqual(await client.publish(event), [true, '']);
    assert.deepEqual(await client.query({ ids: [event.id] }), [event]);
  });

  it('keeps control characters, the null character among them', async () => {
    const event = author.sign({ content: 'a\u0000b\u0001c\u001f', tags: [['t', '\u0000']] });
    assert.deepEqual(await client.publish(event), [true, '']);
    assert.deepEqual(await client.query({ ids: [event.id] }), [event]);
  });

  it('takes members in any order, with white space and escapes, and drops unknown ones', async () => {
    const event = author.sign({ content: 'é' });
    const { id, pubkey, created_at, kind, tags, sig } = event;
    const text = JSON.stringify(
      ['EVENT', { sig, extra: { a: [1] }, content: 'CONTENT', tags, kind, created_at, pubkey, id }],
      null,
      2,
    );
    client.sendText(text.replace('CONTENT', '\\u00e9'));
    assert.deepEqual((await client.next('OK', id)).slice(2), [true, '']);
    assert.deepEqual(await client.query({ ids: [id] }), [event]);
  });

  it('answers each of many events sent at once', async () => {
    const events = author.notes(200);
    client.sendTogether(events.map((event) => ['EVENT', event]));
    for (const event of events)
      assert.deepEqual((await client.next('OK', event.id)).slice(2), [true, '']);
    assert.equal((await client.query({ ids: events.map((event) => event.id) })).length, 200);
  });

  it('takes events of every age, back to the beginning of time', async () => {
    for (const created_at of [0, 1, 946684800]) {
      const event = author.sign({ created_at });
      assert.deepEqual(await client.publish(event), [true, '']);
      assert.deepEqual(await client.query({ ids: [event.id] }), [event]);
    }
  });

  it('takes any regular kind up to 65535', async () => {
    for (const kind of [2, 1059 + 1, 9999, 40000, 65535]) {
      assert.deepEqual(await client.publish(author.sign({ kind })), [true, '']);
    }
  });
});

describe('refusing events', () => {
  const relay = sharedServer();
  const author = new Author();
  let client;
  before(async () => (client = await relay.connect()));

  async function refused(event, pattern) {
    const [accepted, text] = await client.publish(event);
    assert.equal(accepted, false, text);
    assert.match(text, pattern);
    if (/^[0-9a-f]{64}$/.test(event.id))
      assert.deepEqual(await client.query({ ids: [event.id] }), []);
  }

  it('refuses an id that is not the hash of the event', async () => {
    await refused({ ...author.sign(), id: randomHex(32) }, /^invalid: /);
    await refused({ ...author.sign(), content: 'changed' }, /^invalid: /);
    await refused({ ...author.sign(), created_at: 1 }, /^invalid: /);
  });

  it('refuses a wrong signature', async () => {
    await refused({ ...author.sign(), sig: randomHex(64) }, /^invalid: /);
    await refused(
      { ...author.sign({ content: 'a' }), sig: author.sign({ content: 'b' }).sig },
      /^invalid: /,
    );
    await refused({ ...author.sign(), sig: '0'.repeat(128) }, /^invalid: /);
    await refused({ ...author.sign(), sig: 'f'.repeat(128) }, /^invalid: /);
  });

  it('refuses an event whose signature is by another key', async () => {
    const event = author.sign();
    const other = new Author().sign({ created_at: event.created_at });
    await refused({ ...event, sig: other.sig }, /^invalid: /);
  });

  it('refuses a public key that is no point of the curve', async () => {
    const event = { ...author.sign(), pubkey: 'f'.repeat(64) };
    await refused({ ...event, id: idOf(event) }, /^invalid: /);
  });

  it('refuses dates too far ahead and takes those of a clock that is a little fast', async () => {
    await refused(author.sign({ created_at: now() + 86_400 + 600 }), /^invalid: /);
    await refused(author.sign({ created_at: 4_000_000_000 }), /^invalid: /);
    assert.deepEqual(await client.publish(author.sign({ created_at: now() + 600 })), [true, '']);
  });

  it('refuses an event above the size limit, and says both numbers', async () => {
    const event = author.sign({ content: 'x'.repeat(200_000) });
    const bytes = JSON.stringify(event).length;
    const text = `blocked: event size (${bytes} bytes) exceeds maximum allowed size (196608 bytes)`;
    assert.deepEqual(await client.publish(event), [false, text]);
  });

  it('takes an event of exactly the size limit', async () => {
    const frame = JSON.stringify(author.sign()).length;
    const event = author.sign({ content: 'x'.repeat(196_608 - frame) });
    assert.equal(JSON.stringify(event).length, 196_608);
    assert.deepEqual(await client.publish(event), [true, '']);
    await refused(
      author.sign({ content: 'x'.repeat(196_608 - frame + 1) }),
      /^blocked: event size \(196609 bytes\)/,
    );
  });

  it('refuses kinds that are credentials or parts of others', async () => {
    for (const kind of [13, 9734, 22242, 24242, 27235]) {
      const expected = [false, `blocked: kind ${kind} is not accepted by this relay`];
      assert.deepEqual(await client.publish(author.sign({ kind })), expected);
    }
  });

  it('refuses a gift wrap that does not have exactly one recipient', async () => {
    const p = ['p', author.pubkey];
    await refused(author.sign({ kind: 1059 }), /^blocked: /);
    await refused(author.sign({ kind: 1059, tags: [p, ['p', randomHex(32)]] }), /^blocked: /);
    assert.deepEqual(await client.publish(author.sign({ kind: 1059, tags: [p] })), [true, '']);
  });

  it('tells a refused event from a good one sent in the same packet', async () => {
    const good = author.sign({ content: 'good' });
    const bad = { ...author.sign({ content: 'bad' }), content: 'worse' };
    client.sendTogether([
      ['EVENT', bad],
      ['EVENT', good],
      ['EVENT', bad],
    ]);
    assert.deepEqual((await client.next('OK', good.id)).slice(2), [true, '']);
    assert.equal((await client.next('OK', bad.id))[2], false);
    assert.equal((await client.next('OK', bad.id))[2], false);
  });

  it('does not let a forged copy stand in the way of the real event', async () => {
    const event = author.sign({ content: 'real' });
    await refused({ ...event, sig: randomHex(64) }, /^invalid: /);
    assert.deepEqual(await client.publish(event), [true, '']);
  });
});
