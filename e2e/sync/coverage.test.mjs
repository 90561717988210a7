// What a relay is said to lack: only what it was asked to have.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Author } from '../helpers/events.mjs';
import { Repository } from '../helpers/repository.mjs';
import { relayStatus, SharedRepository, syncServer } from '../helpers/sync_servers.mjs';

const isCompared = ({ link, coverage }) => link === 'connected' && coverage.all > 0;

describe('The coverage of a relay', () => {
  let server, peer, empty;

  // Two repositories that name a peer each, and others that name none: of the same owner, of the
  // same name, of neither. One of the peers has what it should, one has nothing.
  before(async () => {
    const silent = { NGIT_SYNC_ENABLED: 'false' };
    [server, peer, empty] = await Promise.all([syncServer(silent), syncServer(silent), syncServer(silent)]);
    const owner = new Author();
    const both = new SharedRepository([server, peer], { owner, identifier: 'on both' });
    await both.publishOn([server, peer]);
    await publishOn([server, peer], both.issue(new Author()));
    const here = new SharedRepository([server, empty], { owner, identifier: 'only here' });
    await here.publishOn([server]);
    await publishOn([server], here.issue(new Author()));
    const client = await server.connect();
    for (const options of [{ owner }, { identifier: 'on both' }, {}]) {
      await new Repository(server, options).publish(client);
    }
    client.close();
    // With sync, all of this is history.
    const { directory, port } = server;
    server.owned = false;
    await server.stop();
    server = await syncServer({}, { directory, port });
    server.owned = true;
  });
  after(() => Promise.all([server, peer, empty].map((one) => one?.stop())));

  it('does not count repositories that do not name it', async () => {
    const { coverage } = await relayStatus(server, peer.url, isCompared);
    assert.equal(coverage.has, coverage.all, JSON.stringify(coverage));
    assert.ok(coverage.all >= 3, JSON.stringify(coverage)); // announcement, state, issue
    assert.doesNotMatch(server.output, new RegExp(`${peer.url} lacks`));
  });

  it('counts what it was asked to have and lacks', async () => {
    const { coverage } = await relayStatus(server, empty.url, isCompared);
    assert.deepEqual(coverage, { has: 0, all: 3 });
    await server.logged(new RegExp(`${empty.url} lacks 3 of 3 events that it should have`));
  });
});

async function publishOn(servers, event) {
  for (const server of servers) {
    const client = await server.connect();
    await client.publishAll([event]);
    client.close();
  }
}
