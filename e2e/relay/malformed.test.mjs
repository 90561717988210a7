// Messages that are wrong: each is answered, none ends the connection.
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { Author, randomHex } from '../helpers/events.mjs';
import { sharedServer } from '../helpers/harness.mjs';

const author = new Author();
const kSub = 'sub';

describe('malformed messages', () => {
  const relay = sharedServer();
  let client;
  before(async () => (client = await relay.connect()));

  // The next message must be the answer; then the connection must still work.
  async function answered(text, verb, pattern, about) {
    client.sendText(text);
    const message = await client.next(() => true);
    const shown = `${text.slice(0, 120)} → ${JSON.stringify(message)}`;
    assert.equal(message[0], verb, shown);
    assert.match(message.at(-1), pattern, shown);
    if (about !== undefined) assert.equal(message[1], about, shown);
    await client.alive();
  }

  it('that are no JSON get a NOTICE', async () => {
    const texts = [
      '',
      ' ',
      'hello',
      '{',
      '[',
      '["EVENT"',
      '["REQ","x",{}',
      '[]]',
      '["REQ","x",{}] x',
      "['REQ']",
      '\u0000',
      '["\ud800"]',
      'NaN',
      '[1,]',
    ];
    for (const text of texts) await answered(text, 'NOTICE', /^invalid: /);
  });

  it('that are no arrays with a verb get a NOTICE', async () => {
    for (const text of [
      '{}',
      '[]',
      '"EVENT"',
      '5',
      'null',
      'true',
      '[5]',
      '[null]',
      '[[]]',
      '[{}]',
      '["NOTHING"]',
      '["event",{}]',
      '["OK","x",true,""]',
    ]) {
      await answered(text, 'NOTICE', /^invalid: /);
    }
  });

  it('whose event has no readable id get a NOTICE', async () => {
    for (const text of [
      '["EVENT"]',
      '["EVENT",null]',
      '["EVENT",[]]',
      '["EVENT","x"]',
      '["EVENT",{}]',
      '["EVENT",{"id":5}]',
    ]) {
      await answered(text, 'NOTICE', /^invalid: /);
    }
  });

  const good = author.sign();
  const wrongMembers = {
    kind: ['1', null, -1, 65_536, 1.5, [], 1e99, undefined],
    created_at: ['0', null, -1, 1.5, {}, 1e300, 2 ** 70, undefined],
    tags: [null, {}, 'x', [5], [[5]], [['e', null]], [[['deep']]], ['e'], [{}], undefined],
    content: [null, 5, [], {}, undefined],
    sig: [null, 5, '', 'zz', randomHex(63), randomHex(65), good.sig.toUpperCase(), undefined],
    pubkey: [null, 5, '', randomHex(31), good.pubkey.toUpperCase(), undefined],
  };
  for (const [member, values] of Object.entries(wrongMembers)) {
    it(`whose event has a wrong ${member} get OK false`, async () => {
      for (const value of values) {
        const event = { ...good, [member]: value };
        await answered(JSON.stringify(['EVENT', event]), 'OK', /^invalid: /, good.id);
      }
    });
  }

  it('whose event has an empty tag get an answer', async () => {
    const event = author.sign({ tags: [[]] });
    client.send('EVENT', event);
    const [, , accepted, text] = await client.next('OK', event.id);
    if (accepted) assert.deepEqual(await client.query({ ids: [event.id] }), [event]);
    else assert.match(text, /^invalid: /);
  });

  it('whose event repeats a member get OK false', async () => {
    const text = JSON.stringify(['EVENT', good]).replace('"kind":1', '"kind":1,"kind":2');
    await answered(text, 'OK', /^invalid: /, good.id);
  });

  it('whose event has an id in upper case are not taken', async () => {
    client.send('EVENT', { ...good, id: good.id.toUpperCase() });
    const message = await client.next((m) => m[0] === 'NOTICE' || m[0] === 'OK');
    assert.match(message.at(-1), /^invalid: /);
  });

  it('whose numbers are written strangely get OK false', async () => {
    for (const kind of ['1.0', '1e0', '0x1', '01', '+1', '-0.5']) {
      const text = JSON.stringify(['EVENT', good]).replace('"kind":1', `"kind":${kind}`);
      client.sendText(text);
      const message = await client.next((m) => m[0] === 'NOTICE' || m[0] === 'OK');
      assert.match(message.at(-1), /^invalid: /, kind);
    }
  });

  it('that ask with no or a wrong id get a NOTICE', async () => {
    for (const text of [
      '["REQ"]',
      '["REQ",5,{}]',
      '["REQ",null,{}]',
      '["COUNT"]',
      '["CLOSE"]',
      '["CLOSE",5]',
      '["NEG-OPEN"]',
      '["NEG-MSG"]',
      '["NEG-CLOSE"]',
    ]) {
      await answered(text, 'NOTICE', /^invalid: /);
    }
  });

  const wrongFilters = [
    null,
    5,
    'x',
    [],
    { ids: 'x' },
    { ids: [5] },
    { ids: ['x'] },
    { ids: [randomHex(31)] },
    { ids: [good.id.toUpperCase()] },
    { ids: null },
    { authors: [randomHex(33)] },
    { authors: {} },
    { kinds: ['1'] },
    { kinds: [-1] },
    { kinds: [65_536] },
    { kinds: [1.5] },
    { kinds: 1 },
    { '#t': 'x' },
    { '#t': [5] },
    { '#t': [['x']] },
    { since: '1' },
    { since: 1.5 },
    { until: null },
    { until: {} },
    { limit: -1 },
    { limit: '5' },
    { limit: 1.5 },
  ];
  it('with a wrong filter get CLOSED', async () => {
    for (const filter of wrongFilters) {
      for (const verb of ['REQ', 'COUNT'])
        await answered(JSON.stringify([verb, kSub, filter]), 'CLOSED', /^invalid: /, kSub);
      await answered(
        JSON.stringify(['REQ', kSub, { kinds: [9] }, filter]),
        'CLOSED',
        /^invalid: /,
        kSub,
      );
    }
  });

  it('may name times before 1970, which are before everything', async () => {
    const event = author.sign({ created_at: 0, content: 'first' });
    await client.publish(event);
    const found = await client.query({ authors: [author.pubkey], since: -5, until: 0 });
    assert.deepEqual(found, [event]);
    assert.deepEqual(await client.query({ authors: [author.pubkey], until: -5 }), []);
  });

  it('without a filter get CLOSED', async () => {
    await answered('["REQ","sub"]', 'CLOSED', /^invalid: /, kSub);
    await answered('["COUNT","sub"]', 'CLOSED', /^invalid: /, kSub);
  });

  it('with an empty subscription id get an answer', async () => {
    client.sendText('["REQ","",{"kinds":[9]}]');
    const message = await client.next(() => true);
    assert.ok(['CLOSED', 'NOTICE'].includes(message[0]), JSON.stringify(message));
    assert.match(message.at(-1), /^invalid: /);
  });

  it('with members of a filter that nobody knows get CLOSED as unsupported', async () => {
    for (const filter of [
      { search: 'x' },
      { foo: 1 },
      { '#ab': ['x'] },
      { kinds: [1], Kinds: [2] },
      { '&t': ['x'] },
    ]) {
      await answered(
        JSON.stringify(['REQ', kSub, filter]),
        'CLOSED',
        /^unsupported: filter contains unknown elements/,
        kSub,
      );
    }
  });

  it('that are nested beyond reason are answered', async () => {
    for (const depth of [100, 10_000, 500_000]) {
      await answered('['.repeat(depth) + ']'.repeat(depth), 'NOTICE', /^invalid: /);
      await answered(
        `["REQ","sub",${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}]`,
        'CLOSED',
        /^(invalid|unsupported): /,
        kSub,
      ).catch((error) => {
        if (!/NOTICE/.test(error.message)) throw error; // an id too deep to find is as good
      });
      await client.alive();
    }
  });

  it('with very many or very long tags are answered', async () => {
    const many = author.sign({ tags: Array.from({ length: 20_000 }, () => ['t', 'x']) });
    assert.match((await client.publish(many))[1], /^$|^(blocked|invalid): /);
    const long = author.sign({ tags: [['t', 'x'.repeat(150_000)]] });
    assert.deepEqual(await client.publish(long), [true, '']);
    assert.deepEqual(await client.query({ ids: [long.id] }), [long]);
    assert.deepEqual(
      await client.query({ '#t': ['x'.repeat(150_000)], authors: [author.pubkey] }),
      [long],
    );
  });

  it('with times at the edge of what can be written are answered', async () => {
    const edges = [
      2 ** 31 - 1,
      2 ** 31,
      2 ** 32,
      2 ** 53,
      '9223372036854775807',
      '9223372036854775808',
      '18446744073709551615',
      '18446744073709551616',
      0,
    ];
    for (const edge of edges) {
      for (const member of ['since', 'until', 'limit']) {
        client.sendText(`["REQ","edge",{"kinds":[9],"${member}":${edge}}]`);
        const message = await client.next((m) => m[1] === 'edge');
        assert.ok(message[0] === 'EOSE' || /^invalid: /.test(message[2]), JSON.stringify(message));
      }
      client.sendText(
        JSON.stringify(['EVENT', good]).replace(
          `"created_at":${good.created_at}`,
          `"created_at":${edge}`,
        ),
      );
      const [, , accepted, text] = await client.next('OK', good.id);
      assert.equal(accepted, false);
      assert.match(text, /^invalid: /);
    }
  });

  it('do not disturb good ones in the same packet', async () => {
    const event = author.sign({ content: 'good' });
    client.socket._socket.cork();
    client.sendText('nonsense');
    client.send('EVENT', event);
    client.sendText('["REQ"]');
    client.socket._socket.uncork();
    assert.deepEqual((await client.next('OK', event.id)).slice(2), [true, '']);
    assert.match((await client.next('NOTICE'))[1], /^invalid: /);
    assert.match((await client.next('NOTICE'))[1], /^invalid: /);
  });

  it('are answered without repeating them at length', async () => {
    client.sendText(`["${'x'.repeat(100_000)}"]`);
    assert.ok((await client.next('NOTICE'))[1].length < 1000);
  });
});
