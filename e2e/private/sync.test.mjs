// Sync between private services (GRASP-08), and between private and public ones, which must not be.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Author } from '../helpers/events.mjs';
import { until } from '../helpers/harness.mjs';
import { credential, enter, privateServer, publishPrivately } from '../helpers/private.mjs';
import { remoteRefs, Repository } from '../helpers/repository.mjs';
import { has, holds, kFollows, SharedRepository, status, syncServer } from '../helpers/sync_servers.mjs';

const kToken = 'sixteen-letters-and-more';
const member = new Author();

async function privatePeer(settings = {}, members = [member]) {
  return privateServer(members, {
    ...kFollows,
    NGIT_GIT_FETCH_DELAY_SECS: '0', // nobody pushes to the second
    NGIT_STATUS_TOKEN: kToken,
    ...settings,
  });
}
async function statusOf(server) {
  const answer = await server.get('/api/sync', { headers: { authorization: `Bearer ${kToken}` } });
  return JSON.parse(answer.body);
}
// What a member sees of a repository.
async function refsOf(repository) {
  const token = credential(member, repository.url);
  return remoteRefs(repository.url.replace('http://', `http://x:${encodeURIComponent(token)}@`));
}

describe('Two private services that host a repository', () => {
  it('sync events and git data', async () => {
    const [a, b] = await Promise.all([privatePeer(), privatePeer()]);
    const repository = new SharedRepository([a, b], { owner: member });
    const checkout = await publishPrivately(a, repository.on(a), {
      announcement: repository.announcement(),
    });
    const commit = await checkout.git('rev-parse', 'HEAD');
    const onB = await enter(b, member);
    await onB.publishAll([repository.announcement()]);
    const [state] = await (await enter(a, member)).query({ kinds: [30618] });
    await onB.publishAll([state]);

    // Git data comes from the first, with a credential of the second.
    const arrived = async () => {
      const refs = await refsOf(repository.on(b)).catch(() => ({}));
      return refs['refs/heads/main'] === commit;
    };
    await until(arrived, () => `git data; the first said:\n${a.output}\nthe second said:\n${b.output}`);

    const client = await enter(a, member);
    const issue = repository.issue(member, { content: 'on the first' });
    await client.publishAll([issue]);
    await holds(b, [issue]);
    const reply = repository.issue(member, { content: 'on the second' });
    await onB.publishAll([reply]);
    await holds(a, [reply]);
    await a.logged(/the private service has \d+ members, 1 of them derived/);
    await Promise.all([a.stop(), b.stop()]);
  });

  it('do not, where derived members are switched off', async () => {
    const a = await privatePeer({ NGIT_PRIVATE_DERIVED_MEMBERS: 'false' });
    const b = await privatePeer();
    const repository = new SharedRepository([a, b], { owner: member });
    await publishPrivately(a, repository.on(a), { announcement: repository.announcement() });
    await publishPrivately(b, repository.on(b), { announcement: repository.announcement() });
    const turnedAway = async () => {
      const peer = (await statusOf(b)).relays.find((relay) => relay.url === a.url);
      return peer && peer.link !== 'connected' && peer.failures + peer.dials_failed > 0;
    };
    const refused = async () => b.output.includes(`disconnected from ${a.url}`);
    await until(async () => (await refused()) || (await turnedAway()), () => b.output);
    assert.ok(!a.output.includes('of them derived'));
    await Promise.all([a.stop(), b.stop()]);
  });
});

describe('A private and a public service that host a repository', () => {
  it('leave each other alone', async () => {
    const [closed, open] = await Promise.all([privatePeer(), syncServer()]);
    const repository = new SharedRepository([closed, open], { owner: member });
    await publishPrivately(closed, repository.on(closed), {
      announcement: repository.announcement(),
    });
    await repository.publishOn([open]);
    await open.logged(
      /Relay advertises GRASP-08 private service; excluding it from public sync: ws:\/\/127/,
    );
    await closed.logged(/is no private service \(GRASP-08\); this private service leaves it alone/);
    const secret = repository.issue(member, { content: 'for members' });
    const client = await enter(closed, member);
    await client.publishAll([secret]);
    const peer = (server) => (relay) => relay.url === server.url;
    const known = async () => (await statusOf(closed)).relays.find(peer(open));
    const seen = await until(known, 'the public server in the report');
    assert.equal(seen.connected_since ?? null, null);
    const excluded = async () => (await status(open)).relays.find(peer(closed))?.private;
    await until(excluded, 'the private server in the report');
    assert.ok(!(await has(open, secret)));
    await Promise.all([closed.stop(), open.stop()]);
  });
});

describe('A private repository on a public service', () => {
  it('is asked for nowhere', async () => {
    const [home, other, usual] = await Promise.all([syncServer(), syncServer(), syncServer()]);
    const secret = new SharedRepository([home, other], { owner: member, identifier: 'secret' });
    const known = new SharedRepository([home, usual], { owner: member, identifier: 'known' });
    const client = await home.connect();
    const copy = await new Repository(home, { owner: member, identifier: 'x' }).publish(client);
    for (const [repository, tags] of [
      [secret, [['private', 'true']]],
      [known, []],
    ]) {
      await client.publishAll([repository.announcement({ tags })]);
      await client.publishAll([repository.state(await copy.refs())]);
      await copy.git('push', '--quiet', repository.on(home).url, 'main');
    }
    await client.publishAll([secret.issue(member)]);
    const followed = async () =>
      (await status(home)).relays.find((relay) => relay.url === usual.url)?.link === 'connected';
    await until(followed, 'the ordinary repository to be followed');
    assert.ok(!(await status(home)).relays.some((relay) => relay.url === other.url));
    await Promise.all([home.stop(), other.stop(), usual.stop()]);
  });
});
