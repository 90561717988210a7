// What was answered OK is there afterwards, however the server ended.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Author, ids } from '../helpers/events.mjs';
import { removeDirectory, run, Server, temporaryDirectory, within } from '../helpers/harness.mjs';

const kClients = 4;

// Publishes without pause on several connections until they break; collects what was answered OK.
async function load(server, acknowledged, enough) {
  const events = new Author().notes(600);
  const clients = await Promise.all(Array.from({ length: kClients }, () => server.connect()));
  const reached = new Promise((resolve) => {
    const note = (data) => {
      const [verb, id, accepted] = JSON.parse(data);
      if (verb === 'OK' && accepted) acknowledged.add(id);
      if (acknowledged.size >= enough) resolve();
    };
    clients.forEach((client) => client.socket.on('message', note));
  });
  clients.forEach((client, c) =>
    events.filter((_, i) => i % kClients === c).forEach((event) => client.send('EVENT', event)),
  );
  await within(reached, () => `${enough} events to be stored`);
  return clients;
}

async function missing(server, acknowledged) {
  const client = await server.connect();
  const found = new Set();
  const all = [...acknowledged];
  for (let i = 0; i < all.length; i += 400)
    ids(await client.query({ ids: all.slice(i, i + 400) })).forEach((id) => found.add(id));
  return all.filter((id) => !found.has(id));
}

describe('stored events', () => {
  it('survive a stop in the middle of the work', async (t) => {
    const directory = await temporaryDirectory();
    t.after(() => removeDirectory(directory));
    const acknowledged = new Set();
    for (let round = 0; round < 2; ++round) {
      const server = await Server.start({}, { directory });
      t.after(() => server.kill());
      const clients = await load(server, acknowledged, acknowledged.size + 100);
      const { code } = await server.stop();
      assert.equal(code, 0, server.output);
      await Promise.all(clients.map((client) => client.closed()));
    }
    const server = await Server.start({}, { directory });
    assert.deepEqual(await missing(server, acknowledged), []);
    await server.stop();
  });

  it('survive being killed, again and again', async (t) => {
    const directory = await temporaryDirectory();
    t.after(() => removeDirectory(directory));
    const acknowledged = new Set();
    for (let round = 0; round < 4; ++round) {
      const server = await Server.start({}, { directory });
      t.after(() => server.kill());
      assert.deepEqual(await missing(server, acknowledged), []);
      const clients = await load(server, acknowledged, acknowledged.size + 1 + 130 * round);
      await server.kill();
      await Promise.all(clients.map((client) => client.closed()));
    }
    const server = await Server.start({}, { directory });
    assert.deepEqual(await missing(server, acknowledged), []);
    await server.stop();
    assert.equal((await run(['check', '--signatures'], { directory })).code, 0);
  });

  it('are not needed for starting: an empty directory becomes a database', async (t) => {
    const server = await Server.start();
    t.after(() => server.stop());
    assert.deepEqual(await (await server.connect()).query({ limit: 1 }), []);
  });

  it('are gone with the memory store', async (t) => {
    const directory = await temporaryDirectory();
    t.after(() => removeDirectory(directory));
    const event = new Author().sign();
    for (const round of [0, 1]) {
      const server = await Server.start({ NGIT_DATABASE_BACKEND: 'memory' }, { directory });
      t.after(() => server.kill());
      const client = await server.connect();
      assert.deepEqual(await client.publish(event), [true, ''], `round ${round}`);
      await server.stop();
    }
  });
});

describe('stopping', () => {
  it('tells clients that it goes away, and refuses new ones', async () => {
    const server = await Server.start();
    const client = await server.connect();
    await client.subscribe('s', { kinds: [1] });
    const stopped = server.stop();
    const { code } = await client.closed();
    assert.ok([1001, 1012].includes(code), `${code}`);
    assert.equal((await stopped).code, 0);
    await assert.rejects(server.connect());
  });

  it('works by SIGINT too', async () => {
    const server = await Server.start();
    server.child.kill('SIGINT');
    assert.equal((await server.exit()).code, 0);
    await server.stop();
  });

  it('does not wait for idle or half-open connections', async () => {
    const server = await Server.start({ NGIT_SHUTDOWN_DRAIN_SECS: '600' });
    const clients = await Promise.all(Array.from({ length: 20 }, () => server.connect()));
    clients.forEach((client) => client.socket.pause());
    assert.equal((await server.stop()).code, 0);
    clients.forEach((client) => client.close());
  });

  it('allows a second server to take over the database', async (t) => {
    const directory = await temporaryDirectory();
    t.after(() => removeDirectory(directory));
    const first = await Server.start({}, { directory });
    t.after(() => first.kill());
    const second = await Server.start({}, { directory, ready: false });
    t.after(() => second.kill());
    const { code } = await second.exit();
    assert.notEqual(code, 0, 'two servers must not share a database');
    assert.match(second.output, /relay/);
    await first.stop();
    const third = await Server.start({}, { directory });
    await third.stop();
  });
});
