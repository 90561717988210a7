// What people who take no part here may leave on the server, and send over it.
import assert from 'node:assert/strict';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { describe, it } from 'node:test';
import { Author, randomHex } from '../helpers/events.mjs';
import { removeDirectory, temporaryDirectory } from '../helpers/harness.mjs';
import { graspServer, Repository, sharedHost } from '../helpers/repository.mjs';

const kMiB = 1 << 20;

function deletion(author, count = 1, created_at) {
  const tags = Array.from({ length: count }, () => ['e', randomHex(32)]);
  return author.sign({ kind: 5, tags, created_at });
}

describe('deletions of strangers', () => {
  it('are bounded, the newest stay and are obeyed, also after a restart', async () => {
    const directory = await temporaryDirectory();
    const settings = { NGIT_MAX_STRANGER_REQUEST_BYTES: String(2 * kMiB) };
    let server = await graspServer(settings, { directory });
    let client = await server.connect();
    const repository = new Repository(server);
    await repository.publish(client);
    const author = new Author();
    const issue = (content) =>
      author.sign({ kind: 1621, content, tags: [['a', repository.address]] });
    const [old, young] = [issue('old'), issue('young')];
    const takesBack = (event) => author.sign({ kind: 5, tags: [['e', event.id]] });
    const early = takesBack(old);
    assert.deepEqual(await client.publish(early), [true, '']);
    assert.deepEqual(await client.query({ ids: [early.id] }), [early]);
    assert.equal((await client.publish(old))[0], false);

    // Each takes about 230 KiB with its indexes: 40 of them are four times what may stay.
    for (let i = 0; i < 40; ++i)
      assert.deepEqual(await client.publish(deletion(new Author(), 900)), [true, '']);
    const late = takesBack(young);
    await client.publishAll([late]);
    const kept = await client.query({ kinds: [5] });
    assert.ok(kept.length <= 11, `${kept.length} are kept`);
    assert.ok(kept.some(({ id }) => id === late.id));
    const { size } = await stat(path.join(directory, 'relay', 'data.mdb'));
    assert.ok(size < 24 * kMiB, `the database has ${size} bytes`);
    await server.stop();

    server = await graspServer(settings, { directory, port: server.port });
    client = await server.connect();
    assert.equal((await client.publish(young))[1], 'blocked: this event is deleted');
    assert.deepEqual(await client.publish(old), [true, '']); // its deletion had to go
    for (let i = 0; i < 20; ++i) await client.publishAll([deletion(new Author(), 900)]);
    assert.ok((await client.query({ kinds: [5] })).length <= 11);
    await server.stop();
    await removeDirectory(directory);
  });

  const host = sharedHost();
  it('of one key are bounded', async () => {
    const author = new Author();
    const all = Array.from({ length: 80 }, () => deletion(author));
    await host.client.publishInOrder(all);
    const kept = await host.client.query({ authors: [author.pubkey] });
    assert.equal(kept.length, 64);
    assert.ok(kept.some(({ id }) => id === all.at(-1).id));
  });
  it('may not name more values than the indexes take', async () => {
    const [accepted, text] = await host.client.publish(deletion(new Author(), 1001));
    assert.equal(accepted, false);
    assert.match(text, /1001 tag values that filters can ask for, at most 1000 are accepted/);
    assert.deepEqual(await host.client.publish(deletion(new Author(), 1000)), [true, '']);
  });
  it('and their lists are small', async () => {
    const list = (content) => new Author().sign({ kind: 10317, content });
    assert.deepEqual(await host.client.publish(list('x'.repeat(15_000))), [true, '']);
    const [accepted, text] = await host.client.publish(list('x'.repeat(17_000)));
    assert.equal(accepted, false);
    assert.match(text, /exceeds the 16384 bytes that people who take no part/);
  });
});

describe('ephemeral events', () => {
  const host = sharedHost({ NGIT_STRANGER_EPHEMERALS_PER_MINUTE: '3' });
  const ephemeral = (author, tags = [], content = '') =>
    author.sign({ kind: 20_001, tags, content: content || randomHex(4) });

  it('of strangers are few and small', async () => {
    const stranger = new Author();
    const [accepted, text] = await host.client.publish(ephemeral(stranger, [], 'x'.repeat(17_000)));
    assert.equal(accepted, false);
    assert.match(text, /exceeds the 16384 bytes/);
    const answers = [];
    for (let i = 0; i < 5; ++i) answers.push(await host.client.publish(ephemeral(new Author())));
    assert.deepEqual(answers.map(([yes]) => yes), [true, true, true, false, false]);
    assert.match(answers[4][1], /^rate-limited: ephemeral events .*: 3 a minute/);
  });

  it('of those who take part, or about what is here, are as any event', async () => {
    const repository = new Repository(host.server);
    await repository.publish(host.client);
    const issuer = new Author();
    await host.client.publishAll([
      issuer.sign({ kind: 1621, tags: [['a', repository.address]] }),
    ]);
    for (let i = 0; i < 10; ++i)
      await host.client.publishAll([
        ephemeral(repository.owner, [], 'x'.repeat(50_000 + i)),
        ephemeral(issuer),
        ephemeral(new Author(), [['a', repository.address]]),
      ]);
  });

  it('of strangers can be refused altogether', async () => {
    const server = await graspServer({ NGIT_STRANGER_EPHEMERALS_PER_MINUTE: '0' });
    const client = await server.connect();
    assert.equal((await client.publish(ephemeral(new Author())))[0], false);
    await server.stop();
  });
});
