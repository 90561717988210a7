// What belongs to a repository hosted here: issues, patches, comments, profiles, in any order.
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { Author, now } from '../helpers/events.mjs';
import { Checkout, kInPurgatory, Repository, sharedHost } from '../helpers/repository.mjs';

const kUnrelated = [
  false,
  'restricted: Event must reference an accepted repository or accepted event',
];
const isServed = async (client, event) => (await client.query({ ids: [event.id] })).length === 1;
const say = (kind, tags, by = new Author()) => by.sign({ kind, tags, content: 'words' });

// Resolves when all of these are served, however they got there.
async function arrivals(server, events) {
  const reader = await server.connect();
  const missing = new Set(events.map((event) => event.id));
  const { events: stored } = await reader.subscribe('arrivals', { ids: [...missing] });
  stored.forEach((event) => missing.delete(event.id));
  return async () => {
    while (missing.size > 0) missing.delete((await reader.next('EVENT', 'arrivals'))[2].id);
    reader.close();
  };
}

describe('events about a repository', () => {
  const host = sharedHost();
  let repository, state;
  before(async () => {
    repository = new Repository(host.server, { identifier: 'a:b' });
    await repository.publish(host.client);
    [state] = await host.client.query({ kinds: [30618] });
  });

  it('are taken when they speak of it', async () => {
    const { client } = host;
    const { address, owner } = repository;
    for (const [tag, taken] of [
      [['a', address], true],
      [['A', address], true],
      [['q', address, 'wss://x.example'], true],
      [['a', `30618:${owner.pubkey}:a:b`], true],
      [['e', state.id], true],
      [['a', `30617:${owner.pubkey}:a`], false], // only the first two colons separate
      [['a', `30617:${new Author().pubkey}:a:b`], false],
      [['p', owner.pubkey], false],
      [['r', address], false],
    ]) {
      for (const kind of [1617, 1621, 1111, 1, 1630, 1633]) {
        const event = say(kind, [tag]);
        assert.deepEqual(await client.publish(event), taken ? [true, ''] : kUnrelated, `${tag}`);
        assert.equal(await isServed(client, event), taken);
      }
    }
    const mixed = say(1, [
      ['a', `30617:${owner.pubkey}:x`],
      ['a', `30617:${new Author().pubkey}:a:b`],
    ]);
    assert.deepEqual(await client.publish(mixed), kUnrelated);
  });

  it('are taken when they speak of what was taken, and so on', async () => {
    const { client } = host;
    let last = say(1621, [['a', repository.address]]);
    await client.publishAll([last]);
    for (const name of ['e', 'E', 'q', 'e']) {
      const next = say(1111, [[name, last.id]]);
      assert.deepEqual(await client.publish(next), [true, '']);
      last = next;
    }
  });

  it('are taken when something that was taken speaks of them', async () => {
    const { server, client } = host;
    const [note, article] = [say(1, []), say(30023, [['d', 'guide']])];
    assert.deepEqual(await client.publish(note), kUnrelated);
    assert.deepEqual(await client.publish(article), kUnrelated);
    const arrived = await arrivals(server, [note, article]);
    const issue = say(1621, [
      ['a', repository.address],
      ['q', note.id],
      ['a', `30023:${article.pubkey}:guide`],
    ]);
    assert.deepEqual(await client.publish(issue), [true, '']);
    await arrived(); // by themselves
  });

  it('that anybody may publish anchor nothing', async () => {
    const { client } = host; // acceptance.md §3.3
    const spammer = new Author();
    const anchors = [
      say(10317, [['g', 'wss://x.example']], spammer),
      say(5, [['e', 'f'.repeat(64)]], spammer),
      say(62, [['relay', 'wss://x.example']], spammer),
    ];
    for (const anchor of anchors) {
      assert.deepEqual(await client.publish(anchor), [true, '']);
      assert.deepEqual(await client.publish(say(1, [['e', anchor.id]], spammer)), kUnrelated);
    }
    const list = ['a', `10317:${spammer.pubkey}:`];
    assert.deepEqual(await client.publish(say(1, [list], spammer)), kUnrelated);
    const named = say(1, [], spammer);
    await client.publishAll([spammer.deletion([['e', named.id]], { created_at: now() - 5 })]);
    assert.equal((await client.publish(named))[0], false);
  });

  it('wait for a repository that has no data yet, whatever their kind', async () => {
    const { server, client } = host;
    const young = new Repository(server);
    const tag = ['a', young.address];
    const issue = say(1621, [tag]);
    const answer = say(1111, [['e', issue.id]]);
    const others = [1617, 1111, 1, 1630].map((kind) => say(kind, [tag]));
    const profile = young.owner.sign({ kind: 0, content: '{}' });
    const early = [answer, issue, ...others];
    for (const event of early) assert.deepEqual(await client.publish(event), kUnrelated);
    assert.deepEqual(await client.publish(profile), [
      false,
      'restricted: Kind 0 author must participate in an accepted repository thread',
    ]);
    const copy = await Checkout.create();
    await copy.commit();
    const first = young.state(await copy.refs());
    assert.deepEqual(await client.publish(first), [
      false,
      'invalid: no announcement exists for this repository',
    ]);
    assert.deepEqual(await client.publish(young.announcement()), [true, kInPurgatory]);
    assert.deepEqual(await client.publish(early[1]), kUnrelated); // purgatory is not acceptance

    const arrived = await arrivals(server, [first, ...early, profile]);
    // The state was tried again when the announcement came: the push needs nothing more.
    await copy.git('push', '--quiet', young.url, 'main');
    await arrived();
  });

  it('may come all at once and backwards', async () => {
    const { server, client } = host;
    const issue = say(1621, [['a', repository.address]]);
    const chain = [issue];
    for (let i = 0; i < 5; ++i) chain.push(say(1111, [['e', chain.at(-1).id]]));
    const arrived = await arrivals(server, chain);
    client.sendTogether(chain.reverse().map((event) => ['EVENT', event]));
    await arrived();
    for (const event of chain) await client.next('OK', event.id);
  });

  it('include the profiles of those who take part', async () => {
    const { client } = host;
    const [participant, stranger] = [new Author(), new Author()];
    await client.publishAll([say(1621, [['a', repository.address]], participant)]);
    for (const kind of [0, 10002]) {
      const text = `restricted: Kind ${kind} author must participate in an accepted repository thread`;
      assert.deepEqual(await client.publish(participant.sign({ kind })), [true, '']);
      assert.deepEqual(await client.publish(stranger.sign({ kind })), [false, text]);
    }
    assert.deepEqual(await client.publish(stranger.sign({ kind: 10317 })), [true, '']);
  });

  it('include pull requests, when they say what they are', async () => {
    const { client } = host;
    const without = say(1618, [['a', repository.address]]);
    assert.deepEqual(await client.publish(without), [
      false,
      `invalid: PR event ${without.id} has no 'c' tag`,
    ]);
    assert.deepEqual(await client.publish(say(1618, [['c', 'b'.repeat(40)]])), [
      false,
      'restricted: PR event must reference an accepted repository or accepted event',
    ]);
    for (const c of ['b'.repeat(40), 'b'.repeat(64), '--option', '+refs/heads/*:refs/heads/*']) {
      const pull = say(1618, [['a', repository.address], ['c', c]]); // acceptance.md §7.1
      assert.deepEqual(await client.publish(pull), [true, kInPurgatory]);
      assert.deepEqual(await client.publish(pull), [true, 'duplicate: in purgatory']);
      assert.deepEqual(await client.publish(say(1111, [['E', pull.id]])), kUnrelated);
      assert.equal(await isServed(client, pull), false);
    }
  });
});
