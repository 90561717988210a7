// The information document (NIP-11): what it says, and that it is true.
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { Author, ids, newestFirst, now } from '../helpers/events.mjs';
import { Server, sharedServer } from '../helpers/harness.mjs';

const kAccept = { accept: 'application/nostr+json' };

describe('the information document', () => {
  const relay = sharedServer({ NGIT_RELAY_CONTACT: 'mailto:relay@example.org' });

  it('tells who and what the relay is', async () => {
    const { status, headers, body } = await relay.server.get('/', { headers: kAccept });
    assert.equal(status, 200);
    assert.match(headers['content-type'], /^application\/nostr\+json/);
    const document = JSON.parse(body);
    assert.equal(document.name, `127.0.0.1:${relay.server.port} grasp relay`);
    assert.ok(document.description.length > 0);
    assert.equal(document.contact, 'mailto:relay@example.org');
    assert.match(document.pubkey, /^[0-9a-f]{64}$/);
    assert.match(document.self, /^[0-9a-f]{64}$/);
    assert.match(document.version, /^\d+\.\d+\.\d+/);
    assert.match(document.software, /^https?:\/\//);
  });

  it('names the protocols that the other tests here prove', async () => {
    const { supported_nips } = await relay.server.information();
    for (const nip of [1, 5, 9, 11, 40, 42, 45, 62, 67, 70, 77])
      assert.ok(supported_nips.includes(nip), `NIP-${nip}`);
    assert.deepEqual(
      supported_nips,
      [...new Set(supported_nips)].sort((a, b) => a - b),
    );
  });

  it('states the usual limits', async () => {
    const { limitation } = await relay.server.information();
    const {
      max_message_length,
      max_subscriptions,
      max_limit,
      default_limit,
      max_subid_length,
      created_at_upper_limit,
    } = limitation;
    assert.deepEqual(
      {
        max_message_length,
        max_subscriptions,
        max_limit,
        default_limit,
        max_subid_length,
        created_at_upper_limit,
      },
      {
        max_message_length: 5_242_880,
        max_subscriptions: 500,
        max_limit: 500,
        default_limit: 500,
        max_subid_length: 250,
        created_at_upper_limit: 86_400,
      },
    );
    assert.ok(
      !limitation.auth_required && !limitation.payment_required && !limitation.restricted_writes,
    );
  });

  it('is given for every way of asking', async () => {
    const ways = [
      'application/nostr+json',
      'application/nostr+json, */*',
      'text/html, application/nostr+json;q=0.9',
      'Application/Nostr+JSON',
    ];
    for (const accept of ways) {
      const { headers, body } = await relay.server.get('/', { headers: { accept } });
      assert.match(headers['content-type'], /^application\/nostr\+json/, accept);
      assert.ok(JSON.parse(body).supported_nips);
    }
    const { body } = await relay.server.get('/?query=1', { headers: kAccept });
    assert.ok(JSON.parse(body).supported_nips);
  });

  it('is described by HEAD without a body', async () => {
    const full = await relay.server.get('/', { headers: kAccept });
    const head = await relay.server.get('/', { headers: kAccept, method: 'HEAD' });
    assert.equal(head.status, 200);
    assert.equal(head.body, '');
    assert.equal(head.headers['content-length'], String(Buffer.byteLength(full.body)));
  });

  it('is at the address of the relay only', async () => {
    assert.equal((await relay.server.get('/elsewhere', { headers: kAccept })).status, 404);
  });
});

describe('what an operator sets', () => {
  it('stands in the document', async (t) => {
    const server = await Server.start({
      NGIT_RELAY_NAME: 'Näme "quoted" 🌍',
      NGIT_RELAY_DESCRIPTION: 'Line\tone',
    });
    t.after(() => server.stop());
    const { name, description } = await server.information();
    assert.deepEqual([name, description], ['Näme "quoted" 🌍', 'Line\tone']);
  });
});

describe('stated limits are kept', () => {
  const relay = sharedServer({
    NGIT_RELAY_FILTER_LIMIT: '20',
    NGIT_RELAY_MAX_SUBSCRIPTIONS: '3',
    NGIT_RELAY_MAX_EVENT_SIZE_BYTES: '1000',
    NGIT_MAX_MESSAGE_BYTES: '8192',
    NGIT_MAX_FILTERS_PER_REQ: '4',
    NGIT_MAX_CREATED_AT_AHEAD_SECS: '60',
  });
  const author = new Author();
  const notes = author.notes(30, { from: 1_700_000_000 });
  let client, limitation;
  before(async () => {
    client = await relay.connect();
    await client.publishAll(notes);
    ({ limitation } = await relay.server.information());
  });

  it('max_limit and default_limit', async () => {
    assert.deepEqual([limitation.max_limit, limitation.default_limit], [20, 20]);
    const newest = ids(newestFirst(notes)).slice(0, 20);
    for (const limit of [undefined, 20, 21, 1000, 2 ** 40]) {
      const { events, hint } = await client.subscribe('limit', { authors: [author.pubkey], limit });
      assert.deepEqual(ids(events), newest, `limit ${limit}`);
      assert.deepEqual(hint, ['more']);
    }
    const { events } = await client.subscribe(
      'limit',
      { authors: [author.pubkey], limit: 3 },
      { authors: [author.pubkey], until: 1_700_000_009 },
    );
    assert.equal(events.length, 3 + 10);
    client.send('CLOSE', 'limit');
  });

  it('but ids are answered in full', async () => {
    const { events, hint } = await client.subscribe('ids', { ids: ids(notes) });
    assert.deepEqual([events.length, hint], [30, ['finish']]);
    client.send('CLOSE', 'ids');
  });

  it('max_subscriptions, and a replaced or closed one does not count', async () => {
    assert.equal(limitation.max_subscriptions, 3);
    const one = await relay.connect();
    for (const name of ['a', 'b', 'c', 'c'])
      assert.equal((await one.subscribe(name, { kinds: [9] })).closed, undefined);
    assert.equal((await one.subscribe('d', { kinds: [9] })).closed, 'rate-limited: too many REQs');
    one.send('CLOSE', 'a');
    assert.equal((await one.subscribe('d', { kinds: [9] })).closed, undefined);
    const other = await relay.connect();
    assert.equal((await other.subscribe('a', { kinds: [9] })).closed, undefined);
  });

  it('max_filters', async () => {
    const filters = Array.from({ length: 5 }, () => ({ kinds: [9] }));
    assert.equal(
      (await client.subscribe('many', ...filters)).closed,
      'rate-limited: REQ exceeds max filter count 4',
    );
    assert.equal((await client.subscribe('many', ...filters.slice(1))).closed, undefined);
    client.send('CLOSE', 'many');
  });

  it('max_subid_length', async () => {
    assert.equal(limitation.max_subid_length, 250);
    assert.equal(
      (await client.subscribe('x'.repeat(251), {})).closed,
      'blocked: subscription ID exceeds max length 250',
    );
    client.send('COUNT', 'y'.repeat(251), {});
    assert.equal(
      (await client.next('CLOSED', 'y'.repeat(251)))[2],
      'blocked: subscription ID exceeds max length 250',
    );
  });

  it('created_at_upper_limit', async () => {
    assert.equal(limitation.created_at_upper_limit, 60);
    assert.match((await client.publish(author.sign({ created_at: now() + 100 })))[1], /^invalid: /);
    assert.deepEqual(await client.publish(author.sign({ created_at: now() + 30 })), [true, '']);
  });

  it('the size of an event', async () => {
    assert.match(
      (await client.publish(author.sign({ content: 'x'.repeat(1000) })))[1],
      /^blocked: event size \(\d+ bytes\) exceeds maximum allowed size \(1000 bytes\)$/,
    );
  });

  it('max_message_length', async () => {
    assert.equal(limitation.max_message_length, 8192);
    const one = await relay.connect();
    const fitting = JSON.stringify(['REQ', 'x', { kinds: [9] }]).padEnd(8192);
    one.sendText(fitting);
    await one.next('EOSE', 'x');
    one.sendText(fitting + ' ');
    assert.equal((await one.closed()).code, 1009);
  });
});
