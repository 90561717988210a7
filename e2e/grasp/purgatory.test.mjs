// Purgatory in the course of time, and over the death of the server.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { after, describe, it } from 'node:test';
import { Author, now } from '../helpers/events.mjs';
import { begin, commandList, kNone, reportIn } from '../helpers/git_wire.mjs';
import { removeDirectory, temporaryDirectory, until } from '../helpers/harness.mjs';
import { Checkout, graspServer, kInPurgatory, Repository } from '../helpers/repository.mjs';

const kAdvertisement = '/info/refs?service=git-upload-pack';
const status = async (repository) =>
  (await repository.server.get(repository.path + kAdvertisement, { raw: true })).status;
const isServed = async (client, event) => (await client.query({ ids: [event.id] })).length === 1;
const kDuplicate = [true, 'duplicate: in purgatory'];
const kSuperseded = [true, 'duplicate: superseded by a newer event'];

// Its port changes with every life, its name does not.
const kDomain = 'grasp.example';
function listed(repository) {
  const clone = [`https://${kDomain}/${repository.npub}/${repository.identifier}.git`];
  return { clone, relays: [`wss://${kDomain}`] };
}

describe('purgatory', { concurrency: true }, () => {
  const endings = [];
  after(() => Promise.all(endings.map((end) => end())));

  // A server that can be killed and started again: start(settings).
  async function lives() {
    const directory = await temporaryDirectory();
    let server;
    endings.push(async () => {
      await server?.kill();
      await removeDirectory(directory);
    });
    return async (settings = {}) => {
      await server?.kill();
      server = await graspServer({ NGIT_DOMAIN: kDomain, ...settings }, { directory });
      return { server, client: await server.connect() };
    };
  }

  it('survives kill -9 as it is', async () => {
    const start = await lives();
    let { server, client } = await start();
    const repository = new Repository(server);
    const [served, moved] = [new Repository(server), new Repository(server)];
    const copy = await Checkout.create();
    await copy.commit();
    const [guest, puller] = [new Author(), new Author()];
    const announcement = repository.announcement({ ...listed(repository), maintainers: [guest] });
    const elsewhere = { clone: ['https://x.example/x.git'], relays: ['wss://x.example'] };
    const invited = repository.announcement({ by: guest, ...elsewhere });
    const state = repository.state(await copy.refs());
    for (const event of [announcement, invited, state])
      assert.deepEqual(await client.publish(event), [true, kInPurgatory]);
    // One that is served, with a pull request; one that went elsewhere.
    await client.publishAll([served.announcement(listed(served))]);
    await client.publishAll([served.state(await copy.refs())]);
    await copy.git('push', '--quiet', served.url, 'main');
    const pull = served.pullRequest('b'.repeat(40), { by: puller });
    assert.deepEqual(await client.publish(pull), [true, kInPurgatory]);
    const old = moved.announcement({ ...listed(moved), created_at: now() - 5 });
    await client.publishAll([old]);
    await client.publish(moved.announcement(elsewhere));

    ({ server, client } = await start());
    for (const one of [repository, served, moved]) one.server = server;
    for (const event of [announcement, invited, state, pull]) {
      assert.deepEqual(await client.publish(event), kDuplicate);
      assert.equal(await isServed(client, event), false);
    }
    assert.equal(await status(moved), 404);
    assert.deepEqual(await client.publish(old), kSuperseded); // acceptance.md §12.1, over the crash
    await copy.git('push', '--quiet', repository.url, 'main');
    for (const event of [announcement, state]) assert.equal(await isServed(client, event), true);
    await until(() => isServed(client, invited), 'the guest to be served');

    ({ server, client } = await start());
    for (const event of [announcement, state, invited])
      assert.equal((await client.publish(event))[1], 'duplicate: already have this event');
    assert.deepEqual(await client.publish(pull), kDuplicate);
  });

  it('remembers over kill -9 what came before its repository', async () => {
    const start = await lives();
    let { server, client } = await start();
    const repository = new Repository(server);
    const guest = new Author();
    const issue = guest.sign({ kind: 1621, content: 'early', tags: [['a', repository.address]] });
    const comment = guest.sign({ kind: 1111, content: 'earlier', tags: [['E', issue.id]] });
    for (const event of [comment, issue]) assert.equal((await client.publish(event))[0], false);

    ({ server, client } = await start());
    repository.server = server;
    assert.equal(await isServed(client, issue), false);
    const copy = await Checkout.create();
    await copy.commit();
    await client.publishAll([repository.announcement(listed(repository))]);
    await client.publishAll([repository.state(await copy.refs())]);
    await copy.git('push', '--quiet', repository.url, 'main');
    for (const event of [issue, comment]) await until(() => isServed(client, event), 'it to be served');
  });

  it('keeps its deadlines over a crash, sleeps, and is woken by a state', async () => {
    const start = await lives();
    let { server, client } = await start({ NGIT_PURGATORY_EXPIRY_SECS: '1' });
    const repository = new Repository(server);
    const announcement = repository.announcement(listed(repository));
    const refs = { 'refs/heads/main': 'a'.repeat(40) };
    const state = repository.state(refs);
    await client.publishInOrder([announcement, state]);

    // The next life is patient, but the term was set before.
    ({ server, client } = await start({ NGIT_PURGATORY_EXPIRY_SECS: '1800' }));
    repository.server = server;
    await until(async () => (await status(repository)) === 404, 'the repository to go', 20_000);
    await until(() => !existsSync(repository.directory), 'its folder to go', 20_000);
    assert.deepEqual(await client.query({ authors: [repository.owner.pubkey] }), []);

    ({ server, client } = await start());
    repository.server = server;
    assert.equal(await status(repository), 404); // still asleep
    assert.deepEqual(await client.publish(state), [true, kInPurgatory]); // people may come again
    assert.equal(await status(repository), 200);
  });

  it('does not run out while a push is on its way', async () => {
    const start = await lives();
    const { server, client } = await start({ NGIT_PURGATORY_EXPIRY_SECS: '2' });
    const [repository, other] = [new Repository(server), new Repository(server)];
    const copy = await Checkout.create();
    const commit = await copy.commit();
    const state = repository.state(await copy.refs());
    await client.publishInOrder([repository.announcement(listed(repository)), state]);
    const pack = await copy.pack(commit);
    const { outgoing, answered } = begin(repository, 'git-receive-pack');
    outgoing.write(commandList([[kNone, commit, 'refs/heads/main']]));
    outgoing.write(pack.subarray(0, 20));
    await client.publishInOrder([other.announcement(listed(other)), other.state(await copy.refs())]);
    await until(async () => (await status(other)) === 404, 'the time of the other to be over');
    outgoing.end(pack.subarray(20));
    const report = reportIn(Buffer.concat(await (await answered).toArray()));
    assert.deepEqual(report, ['unpack ok', 'ok refs/heads/main']);
    assert.ok(await isServed(client, state));
  });

  it('wakes for the same announcement too', async () => {
    const start = await lives();
    let { server, client } = await start({ NGIT_PURGATORY_EXPIRY_SECS: '1' });
    const repository = new Repository(server);
    const announcement = repository.announcement(listed(repository));
    await client.publishAll([announcement]);
    await until(async () => (await status(repository)) === 404, 'the repository to go', 20_000);
    ({ server, client } = await start());
    repository.server = server;
    assert.deepEqual(await client.publish(announcement), [true, kInPurgatory]);
    assert.equal(await status(repository), 200);
  });

  it('keeps a deleted repository deleted over a crash, and its data no longer than said', async () => {
    const start = await lives();
    let { server, client } = await start({ NGIT_DELETED_REPOSITORY_GRACE_SECS: '1' });
    const repository = new Repository(server);
    const copy = await Checkout.create();
    await copy.commit();
    await client.publishAll([repository.announcement(listed(repository))]);
    await client.publishAll([repository.state(await copy.refs())]);
    await copy.git('push', '--quiet', repository.url, 'main');
    await client.publishAll([repository.owner.deletion([['a', repository.address]])]);
    ({ server, client } = await start({ NGIT_DELETED_REPOSITORY_GRACE_SECS: '9999' }));
    repository.server = server;
    assert.equal(await status(repository), 404);
    await until(() => !existsSync(repository.directory), 'the data to go', 20_000);
  });

  it('does not serve what the operator refuses in its next life', async () => {
    const start = await lives();
    let { server, client } = await start();
    const [one, two] = [new Repository(server), new Repository(server, { identifier: 'bad' })];
    const copy = await Checkout.create();
    await copy.commit();
    for (const repository of [one, two]) {
      await client.publishAll([repository.announcement(listed(repository))]);
      await client.publishAll([repository.state(await copy.refs())]);
      await copy.git('push', '--quiet', repository.url, 'main');
    }
    ({ server, client } = await start({ NGIT_REPOSITORY_BLACKLIST: 'bad' }));
    one.server = two.server = server;
    assert.equal(await status(one), 200);
    assert.equal(await status(two), 404);
    const announced = async () =>
      (await client.query({ kinds: [30617] })).map((event) => event.pubkey).sort();
    assert.deepEqual(await announced(), [one.owner.pubkey]);

    // Nothing is lost by a list that was wrong.
    ({ server, client } = await start({ NGIT_REPOSITORY_WHITELIST: 'none' }));
    assert.deepEqual(await announced(), []);
    ({ server, client } = await start());
    one.server = two.server = server;
    assert.deepEqual(await announced(), [one.owner.pubkey, two.owner.pubkey].sort());
    assert.equal(await status(one), 200);
    assert.equal(await status(two), 200);

    // What its author deletes while it is withheld stays away.
    ({ server, client } = await start({ NGIT_REPOSITORY_BLACKLIST: 'bad' }));
    const deletion = two.owner.sign({ kind: 5, tags: [['a', two.address]] });
    await client.publishAll([deletion]);
    ({ server, client } = await start());
    two.server = server;
    assert.deepEqual(await announced(), [one.owner.pubkey]);
    assert.equal(await status(two), 404);
  });
});
