// Two and three servers that host the same repositories and find each other by themselves.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Author } from '../helpers/events.mjs';
import { until } from '../helpers/harness.mjs';
import { holds, relayStatus, SharedRepository, syncServer } from '../helpers/sync_servers.mjs';

const author = new Author();

describe('Two servers that host a repository', () => {
  let a, b, repository, checkout, client;
  before(async () => {
    [a, b] = await Promise.all([syncServer(), syncServer()]);
    repository = new SharedRepository([a, b]);
    checkout = await repository.publishOn([a]);
    client = await a.connect();
  });
  after(() => Promise.all([a.stop(), b.stop()]));

  it('find each other, and the second gets what the first had', async () => {
    const issues = Array.from({ length: 30 }, (_, i) =>
      repository.issue(author, { content: `issue ${i}` }),
    );
    await client.publishAll(issues);
    await repository.publishOn([b], { checkout });
    await holds(b, issues);
  });

  it('pass on within a second what is new, in both directions', async () => {
    const issue = repository.issue(author, { content: 'new on the first' });
    await client.publishAll([issue]);
    await holds(b, [issue], 3_000);
    const other = await b.connect();
    const answer = repository.issue(author, { content: 'new on the second' });
    await other.publishAll([answer]);
    await holds(a, [answer], 3_000);
    other.close();
  });

  for (const letter of ['a', 'A', 'q']) {
    it(`pass on what names the repository by ${letter}`, async () => {
      const event = author.sign({ kind: 1111, tags: [[letter, repository.address]] });
      await client.publishAll([event]);
      await holds(b, [event]);
    });
  }

  for (const letter of ['e', 'E', 'q']) {
    it(`pass on what names a thread by ${letter}`, async () => {
      const issue = repository.issue(author, { content: `thread for ${letter}` });
      const comment = author.sign({ kind: 1111, tags: [[letter, issue.id]] });
      await client.publishAll([issue]);
      await client.publishAll([comment]);
      await holds(b, [issue, comment]);
    });
  }

  it('say so', async () => {
    const peer = await relayStatus(b, a.url, (relay) => relay.link === 'connected');
    assert.equal(peer.health, 'healthy');
    assert.ok((await a.information()).supported_grasps.includes('GRASP-02'));
  });
});

describe('A server that was away', () => {
  it('gets what it missed, whether it stopped or was killed', async () => {
    const a = await syncServer();
    let b = await syncServer();
    const repository = new SharedRepository([a, b]);
    await repository.publishOn();
    const client = await a.connect();
    const first = repository.issue(author);
    await client.publishAll([first]);
    await holds(b, [first]);
    const { directory, port } = b;
    for (const end of ['stop', 'kill']) {
      b.owned = false;
      await b[end]();
      const missed = Array.from({ length: 20 }, (_, i) =>
        repository.issue(author, { content: `missed ${i} by ${end}` }),
      );
      await client.publishAll(missed);
      b = await syncServer({}, { directory, port });
      b.owned = true;
      await holds(b, missed);
    }
    client.close();
    await Promise.all([a.stop(), b.stop()]);
  });

  it('is found again by the one that stayed', async () => {
    let a = await syncServer();
    const b = await syncServer();
    const repository = new SharedRepository([a, b]);
    await repository.publishOn();
    await relayStatus(b, a.url, (relay) => relay.link === 'connected');
    const { directory, port, settings } = a;
    a.owned = false;
    await a.kill();
    await relayStatus(b, a.url, (relay) => relay.link === 'disconnected');
    a = await syncServer({ ...settings }, { directory, port });
    a.owned = true;
    const issue = repository.issue(author);
    const client = await a.connect();
    await client.publishAll([issue]);
    await holds(b, [issue], 20_000);
    client.close();
    await Promise.all([a.stop(), b.stop()]);
  });
});

describe('Reconciliation and pages', () => {
  it('bring the same', async () => {
    const a = await syncServer();
    const followers = await Promise.all([
      syncServer(),
      syncServer({ NGIT_SYNC_DISABLE_NEGENTROPY: 'true' }),
    ]);
    const repository = new SharedRepository([a, ...followers]);
    const checkout = await repository.publishOn([a]);
    const client = await a.connect();
    const issues = Array.from({ length: 700 }, (_, i) =>
      repository.issue(author, { content: `${i}`, created_at: 1_700_000_000 + (i % 7) * 1000 }),
    );
    await client.publishAll(issues);
    await repository.publishOn(followers, { checkout });
    for (const follower of followers) await holds(follower, issues, 20_000);
    await until(
      async () => (await relayStatus(followers[0], a.url)).negentropy_works,
      'negentropy to have worked',
    );
    assert.equal((await relayStatus(followers[1], a.url)).negentropy_works, false);
    client.close();
    await Promise.all([a, ...followers].map((server) => server.stop()));
  });
});
