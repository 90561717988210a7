// What a negentropy session may not do (NIP-77).
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { Author } from '../helpers/events.mjs';
import { sharedServer } from '../helpers/harness.mjs';
import { firstMessage, reconcile } from '../helpers/negentropy.mjs';

const kFilter = { kinds: [1] };
const kEmpty = '6100000200'; // version, infinite bound, list of no ids

describe('negentropy sessions', () => {
  const relay = sharedServer();
  let client;
  before(async () => {
    client = await relay.connect();
    await client.publishAll(new Author().notes(100));
  });
  const answer = (id) => client.next((m) => m[0].startsWith('NEG-') && m[1] === id);

  it('are refused beyond ten, and freed by NEG-CLOSE', async () => {
    const one = await relay.connect();
    for (let i = 0; i < 10; ++i) {
      one.send('NEG-OPEN', `n${i}`, kFilter, firstMessage());
      await one.next('NEG-MSG', `n${i}`);
    }
    one.send('NEG-OPEN', 'n10', kFilter, firstMessage());
    assert.deepEqual(await one.next('NEG-ERR', 'n10'), [
      'NEG-ERR',
      'n10',
      'rate-limited: too many negentropy subscriptions',
    ]);
    one.send('NEG-OPEN', 'n9', kFilter, firstMessage());
    await one.next('NEG-MSG', 'n9');
    one.send('NEG-CLOSE', 'n0');
    one.send('NEG-OPEN', 'n10', kFilter, firstMessage());
    await one.next('NEG-MSG', 'n10');
  });

  it('have names of their own', async () => {
    await client.subscribe('name', { kinds: [9] });
    client.send('NEG-OPEN', 'name', kFilter, firstMessage());
    await client.next('NEG-MSG', 'name');
    client.send('CLOSE', 'name');
    client.send('NEG-MSG', 'name', kEmpty);
    assert.equal((await answer('name'))[0], 'NEG-MSG');
    client.send('NEG-CLOSE', 'name');
  });

  it('end with NEG-CLOSE; what comes after is told so', async () => {
    client.send('NEG-OPEN', 'ended', kFilter, firstMessage());
    await client.next('NEG-MSG', 'ended');
    client.send('NEG-CLOSE', 'ended');
    client.send('NEG-MSG', 'ended', kEmpty);
    const [verb, , text] = await answer('ended');
    assert.equal(verb, 'NEG-ERR');
    assert.match(text, /^closed: /);
  });

  it('that were never opened are told so, and closing them is silent', async () => {
    client.send('NEG-CLOSE', 'unknown');
    client.send('NEG-MSG', 'unknown', kEmpty);
    const [verb, , text] = await answer('unknown');
    assert.equal(verb, 'NEG-ERR');
    assert.match(text, /^closed: /);
  });

  for (const [what, message] of Object.entries({
    'no hex': 'zz',
    'an odd number of digits': '610',
    'digits in upper case': `61000001${'AB'.repeat(16)}`,
    nothing: '',
    'an unfinished bound': '6101',
    'an unfinished fingerprint': '61000001aabb',
    'an unknown mode': '61000009',
    'a prefix longer than an id': `610121${'00'.repeat(33)}00`,
    'fewer ids than it says': `61000002${'05'}${'00'.repeat(32)}`,
    'a count beyond all memory': `61000002${'ff'.repeat(9)}7f`,
    'a number without end': `61${'ff'.repeat(400)}`,
  })) {
    it(`refuse ${what} with NEG-ERR, first or later, and the connection goes on`, async () => {
      client.send('NEG-OPEN', 'first', kFilter, message);
      const opened = await answer('first');
      assert.equal(opened[0], 'NEG-ERR', JSON.stringify(opened).slice(0, 300));
      assert.match(opened[2], /^invalid: /);

      client.send('NEG-OPEN', 'later', kFilter, firstMessage());
      await client.next('NEG-MSG', 'later');
      client.send('NEG-MSG', 'later', message);
      const continued = await answer('later');
      assert.equal(continued[0], 'NEG-ERR');
      assert.match(continued[2], /^invalid: /);
      await client.alive();
    });
  }

  for (const [what, message] of Object.entries({
    'no message': ['NEG-OPEN', 'bad', kFilter],
    'no filter': ['NEG-OPEN', 'bad'],
    'a list of filters': ['NEG-OPEN', 'bad', [kFilter], kEmpty],
    'a bad filter': ['NEG-OPEN', 'bad', { kinds: 'x' }, kEmpty],
    'a message that is no text': ['NEG-OPEN', 'bad', kFilter, 5],
  })) {
    it(`refuse a NEG-OPEN with ${what}`, async () => {
      client.send(...message);
      const [verb, , text] = await answer('bad');
      assert.equal(verb, 'NEG-ERR');
      assert.match(text, /^invalid: /);
    });
  }

  it('refuse a filter with members nobody knows', async () => {
    client.send('NEG-OPEN', 'search', { search: 'x' }, kEmpty);
    assert.match((await client.next('NEG-ERR', 'search'))[2], /^unsupported: /);
  });

  it('refuse a name that is too long', async () => {
    const name = 'x'.repeat(251);
    client.send('NEG-OPEN', name, kFilter, kEmpty);
    assert.deepEqual(
      (await client.next('NEG-ERR', name))[2],
      'blocked: subscription ID exceeds max length 250',
    );
  });

  it('answer another version of the protocol with the one they speak', async () => {
    client.send('NEG-OPEN', 'version', kFilter, '62aabbcc');
    assert.deepEqual((await answer('version')).slice(0, 3), ['NEG-MSG', 'version', '61']);
    client.send('NEG-OPEN', 'version', kFilter, kEmpty);
    assert.match((await client.next('NEG-MSG', 'version'))[2], /^61../);
    client.send('NEG-CLOSE', 'version');
  });
});

describe('negentropy limits', () => {
  const relay = sharedServer({
    NGIT_MAX_NEGENTROPY_ITEMS: '20',
    NGIT_MAX_NEGENTROPY_SESSIONS: '2',
  });

  it('refuse a set that is too large and say how large it may be', async () => {
    const client = await relay.connect();
    const author = new Author();
    const events = author.notes(21);
    await client.publishAll(events.slice(1));
    const filter = { authors: [author.pubkey] };
    assert.equal((await reconcile(client, filter, [])).need.size, 20);
    await client.publish(events[0]);
    const { error, cap } = await reconcile(client, filter, []);
    assert.match(error, /^blocked: too many records/);
    assert.equal(cap, 20);
    assert.equal(
      (await reconcile(client, { ...filter, since: events[5].created_at }, [])).need.size,
      16,
    );
  });

  it('count sessions, and free the place of a refused one', async () => {
    const client = await relay.connect();
    for (const id of ['a', 'b']) {
      client.send('NEG-OPEN', id, { kinds: [4711] }, firstMessage());
      await client.next('NEG-MSG', id);
    }
    client.send('NEG-OPEN', 'c', kFilter, firstMessage());
    assert.match(
      (await client.next('NEG-ERR', 'c'))[2],
      /^rate-limited: too many negentropy subscriptions/,
    );
    client.send('NEG-MSG', 'a', 'zz');
    await client.next('NEG-ERR', 'a');
    client.send('NEG-OPEN', 'c', { kinds: [4711] }, firstMessage());
    await client.next('NEG-MSG', 'c');
  });
});
