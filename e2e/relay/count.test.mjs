// COUNT, with HyperLogLog registers (NIP-45).
import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { Author, randomHex, sha256 } from '../helpers/events.mjs';
import { describeOnEachBackend } from '../helpers/harness.mjs';

const kT = 1_700_000_000;

// As NIP-45 describes it: where to look comes from the first value of the first tag condition.
function offsetFor(value) {
  const address = value.match(/^\d+:([0-9a-f]{64}):/);
  const hex = /^[0-9a-f]{64}$/.test(value) ? value : address ? address[1] : sha256(value);
  return parseInt(hex[32], 16) + 8;
}
function registers(pubkeys, offset) {
  const hll = new Uint8Array(256);
  for (const pubkey of pubkeys) {
    const bytes = Buffer.from(pubkey, 'hex');
    const bits = [...bytes.subarray(offset + 1)]
      .map((byte) => byte.toString(2).padStart(8, '0'))
      .join('');
    const zeros = bits.indexOf('1') < 0 ? bits.length : bits.indexOf('1');
    hll[bytes[offset]] = Math.max(hll[bytes[offset]], zeros + 1);
  }
  return Buffer.from(hll).toString('hex');
}

const manyBy = new Author();
const many = manyBy.notes(620);

const people = Array.from({ length: 40 }, () => new Author());

describeOnEachBackend('counting', (relay) => {
  let client;
  before(async () => (client = await relay.connect()));

  it('counts what a filter matches, and nothing for strangers', async () => {
    const author = new Author();
    await client.publishAll([...author.notes(7), author.sign({ kind: 7 })]);
    assert.deepEqual(await client.count({ authors: [author.pubkey] }), { count: 8 });
    assert.deepEqual(await client.count({ authors: [author.pubkey], kinds: [1] }), { count: 7 });
    assert.deepEqual(await client.count({ authors: [randomHex(32)] }), { count: 0 });
  });

  it('counts an event once, however many filters match it', async () => {
    const [a, b] = [new Author(), new Author()];
    const notes = a.notes(4, { from: kT });
    await client.publishAll([...notes, ...b.notes(3, { from: kT })]);
    const filters = [
      { authors: [a.pubkey] },
      { authors: [a.pubkey, b.pubkey], since: kT + 2 },
      { ids: [notes[0].id] },
    ];
    assert.equal((await client.count(...filters)).count, 4 + 1);
  });

  it('counts beyond the limit of a query', async () => {
    await client.publishAll(many);
    assert.deepEqual(await client.count({ authors: [manyBy.pubkey], limit: 5 }), { count: 620 });
  });

  for (const [what, tag, value] of [
    ['reactions to an event', 'e', randomHex(32)],
    ['followers of a key', 'p', randomHex(32)],
    ['comments on an address', 'A', `30617:${randomHex(32)}:a:b`],
    ['uses of a word', 't', 'nostr 🌍'],
  ]) {
    it(`gives the registers for ${what}`, async () => {
      const kind = 7;
      await client.publishAll(people.map((one) => one.sign({ kind, tags: [[tag, value]] })));
      await client.publishAll(
        people.slice(0, 5).map((one) => one.sign({ kind, tags: [[tag, value]], content: 'again' })),
      );
      const { count, hll } = await client.count({ kinds: [kind], [`#${tag}`]: [value] });
      assert.equal(count, 45);
      assert.equal(
        hll,
        registers(
          people.map((one) => one.pubkey),
          offsetFor(value),
        ),
      );
    });
  }

  it('gives empty registers where nothing matches, and none without a tag condition', async () => {
    assert.deepEqual(await client.count({ '#e': [randomHex(32)], kinds: [7] }), {
      count: 0,
      hll: '00'.repeat(256),
    });
    assert.equal((await client.count({ kinds: [7] })).hll, undefined);
  });

  it('does not keep listening', async () => {
    const author = new Author();
    await client.count({ authors: [author.pubkey] });
    await client.publishAll([author.sign()]);
    await client.alive();
    assert.deepEqual(client.taken('COUNT'), []);
    assert.deepEqual(client.taken('EVENT', 'count'), []);
  });

  it('answers a bad COUNT with CLOSED', async () => {
    assert.match(await client.count({ kinds: ['1'] }), /^invalid: /);
    assert.match(
      await client.count({ search: 'x' }),
      /^unsupported: filter contains unknown elements/,
    );
    assert.match(await client.count(), /^invalid: /);
  });

  it('may use the name of a subscription without touching it', async () => {
    const author = new Author();
    await client.subscribe('count', { authors: [author.pubkey] });
    assert.equal((await client.count({ authors: [author.pubkey] })).count, 0);
    const event = author.sign();
    await client.publish(event);
    assert.deepEqual((await client.next('EVENT', 'count'))[2], event);
    client.send('CLOSE', 'count');
  });
});
