// The relay as an ordinary client library sees it.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { finalizeEvent, verifyEvent } from 'nostr-tools/pure';
import { fetchRelayInformation, useFetchImplementation } from 'nostr-tools/nip11';
import { nip77 } from 'nostr-tools';
import { SimplePool, useWebSocketImplementation as useForPool } from 'nostr-tools/pool';
import { Relay, useWebSocketImplementation as useForRelay } from 'nostr-tools/relay';
import { WebSocket } from 'ws';
import { Author, ids, newestFirst } from '../helpers/events.mjs';
import { kDeadline, sharedServer, within } from '../helpers/harness.mjs';
import { setOf } from '../helpers/negentropy.mjs';

useForPool(WebSocket);
useForRelay(WebSocket);

// The library takes a time-out for EOSE; this one would be noticed.
const eoseTimeout = 2 * kDeadline;

// Ends every subscription it makes, so that no timer of the library outlives its test.
function subscribed(relay, filters, start) {
  const done = new Promise((resolve, reject) => {
    let subscription;
    const finish = (answer) => {
      resolve(answer);
      subscription.close();
    };
    const onclose = (reason) => reject(new Error(reason));
    subscription = relay.subscribe(filters, { eoseTimeout, onclose, ...start(finish) });
  });
  return within(done, () => `an answer to ${JSON.stringify(filters)}`);
}
function collected(relay, filters) {
  const events = [];
  return subscribed(relay, filters, (finish) => ({
    onevent: (event) => events.push(event),
    oneose: () => finish(events),
  }));
}

describe('nostr-tools', () => {
  const shared = sharedServer();
  let relay;
  before(async () => (relay = await Relay.connect(shared.server.url)));
  after(() => relay?.close());

  it('publishes and finds', async () => {
    const author = new Author();
    const events = author.notes(5);
    for (const event of events) assert.equal(await relay.publish(event), '');
    assert.equal(await relay.publish(events[0]), 'duplicate: already have this event');
    assert.deepEqual(
      ids(await collected(relay, [{ authors: [author.pubkey] }])),
      ids(newestFirst(events)),
    );
  });

  it('is told why an event is refused', async () => {
    const event = new Author().sign({ kind: 13 });
    await assert.rejects(relay.publish(event), /blocked: kind 13 is not accepted by this relay/);
  });

  it('hears new events', async () => {
    const author = new Author();
    const event = author.sign();
    const heard = await subscribed(relay, [{ authors: [author.pubkey], limit: 0 }], (finish) => ({
      onevent: finish,
      oneose: () => relay.publish(event),
    }));
    assert.equal(heard.id, event.id);
  });

  it('counts', async () => {
    const author = new Author();
    for (const event of author.notes(4)) await relay.publish(event);
    assert.equal(await within(relay.count([{ authors: [author.pubkey] }], {}), () => 'a count'), 4);
  });

  it('is told when a subscription is refused', async () => {
    const refused = subscribed(relay, [{ search: 'x' }], () => ({ onevent() {}, eoseTimeout: 1 }));
    await assert.rejects(refused, /unsupported: /);
  });

  it('authenticates and publishes protected events', async () => {
    const author = new Author();
    const one = await Relay.connect(shared.server.url);
    const event = author.sign({ tags: [['-']] });
    await assert.rejects(one.publish(event), /auth-required: /);
    const signed = await within(
      one.auth(async (template) => finalizeEvent(template, author.secret)),
      () => 'authentication',
    );
    assert.equal(signed, '');
    assert.equal(await one.publish(event), '');
    one.close();
  });

  it('reconciles', async () => {
    const author = new Author();
    const events = author.notes(80);
    const [here, there] = [events.slice(0, 60), events.slice(20)];
    for (const event of here) await relay.publish(event);
    const [have, need] = [[], []];
    const done = new Promise((resolve, reject) => {
      const sync = new nip77.NegentropySync(
        relay,
        setOf(there),
        { authors: [author.pubkey] },
        {
          onhave: (id) => have.push(id),
          onneed: (id) => need.push(id),
          onclose: (reason) => (reason ? reject(new Error(reason)) : resolve()),
        },
      );
      sync.start();
    });
    await within(done, () => 'the end of the reconciliation');
    assert.deepEqual(new Set(have), new Set(ids(events.slice(60))));
    assert.deepEqual(new Set(need), new Set(ids(events.slice(0, 20))));
  });

  it('reads and writes through a pool', async () => {
    const pool = new SimplePool();
    const urls = [shared.server.url];
    const author = new Author();
    const events = author.notes(3);
    for (const event of events) await Promise.all(pool.publish(urls, event));
    const found = await pool.querySync(urls, { authors: [author.pubkey] });
    assert.deepEqual(new Set(ids(found)), new Set(ids(events)));
    assert.ok(found.every(verifyEvent));
    assert.equal((await pool.get(urls, { ids: [events[1].id] })).id, events[1].id);
    pool.close(urls);
  });

  it('reads the information document', async () => {
    useFetchImplementation(fetch);
    const document = await fetchRelayInformation(shared.server.url);
    assert.ok(document.supported_nips.includes(77));
  });
});
