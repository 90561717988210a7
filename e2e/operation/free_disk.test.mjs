// A disk with less free space than NGIT_MIN_FREE_DISK_BYTES: what is refused, and who is told.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { commandList, kNone, push } from '../helpers/git_wire.mjs';
import { removeDirectory, run, temporaryDirectory, until } from '../helpers/harness.mjs';
import { Checkout, graspServer, Repository } from '../helpers/repository.mjs';

const kMore = String(1n << 60n); // than any disk has
const kWords =
  /low on disk space, pushes and events are refused: \S+ \wiB free, NGIT_MIN_FREE_DISK_BYTES asks for 1 EiB/;
const kLogged =
  /low on disk space, pushes and events are refused: \/\S+ has \S+ \wiB free, NGIT_MIN_FREE_DISK_BYTES asks for 1 EiB; free some space or lower the setting/;
const kRefusal = 'this server is low on disk space; try again later';

describe('a server without disk space', () => {
  let directory, server, repository, copy, next;

  before(async () => {
    directory = await temporaryDirectory();
    const ample = await graspServer({}, { directory });
    assert.equal(await ample.metric('ngit_disk_writes_refused'), 0);
    assert.equal(await ample.metric('ngit_disk_free_bytes_min'), 512 << 20);
    repository = new Repository(ample);
    const client = await ample.connect();
    copy = await repository.publish(client);
    next = await copy.commit('one more');
    await repository.declare(client, await copy.refs());
    client.close();
    await ample.stop();
    const settings = { NGIT_MIN_FREE_DISK_BYTES: kMore };
    server = await graspServer(settings, { directory, port: ample.port, ready: false });
    await until(() => server.get('/healthz').then(({ status }) => status === 200, () => false), 'life');
  });
  after(async () => {
    await server?.stop();
    await removeDirectory(directory);
  });

  it('is alive but not ready, and says why', async () => {
    const ready = await until(async () => {
      const answer = await server.get('/readyz');
      return /disk/.test(answer.body) && answer;
    }, 'the reason');
    assert.equal(ready.status, 503);
    assert.match(ready.body, kWords);
    assert.equal((await server.get('/healthz')).status, 200);
  });

  it('logs it once', async () => {
    await server.logged(kLogged);
    await server.get('/readyz');
    assert.equal(server.output.match(/low on disk space/g).length, 1);
  });

  it('counts it', async () => {
    assert.equal(await server.metric('ngit_disk_writes_refused'), 1);
    assert.equal(await server.metric('ngit_disk_free_bytes_min'), Number(kMore));
    assert.ok((await server.metric('ngit_disk_free_bytes', { folder: 'git' })) > 0);
    assert.ok((await server.metric('ngit_disk_free_bytes', { folder: 'relay' })) > 0);
  });

  it('says it on its pages and to the command status', async () => {
    for (const page of ['/', '/sync']) assert.match((await server.get(page)).body, kWords, page);
    const sync = JSON.parse((await server.get('/api/sync')).body);
    assert.equal(sync.tone, 'bad');
    assert.match(sync.trouble, kWords);
    const status = await run(['status', '--url', server.origin], { directory });
    assert.equal(status.code, 1);
    assert.match(status.stdout.split('\n')[0], kWords);
  });

  it('refuses pushes before anything is sent, and says so to who sends it anyway', async () => {
    const stderr = await copy.fails('push', '--force', repository.url, 'main');
    assert.match(stderr, new RegExp(`remote error: ${kRefusal}`));
    const tip = await copy.git('rev-parse', 'HEAD');
    assert.equal(tip, next);
    const body = [commandList([[kNone, tip, 'refs/heads/main']]), await copy.pack(tip)];
    const answer = await push(repository, Buffer.concat(body));
    assert.deepEqual(answer, ['unpack ok', `ng refs/heads/main ${kRefusal}`]);
  });

  it('is read as ever', async () => {
    const clone = await Checkout.clone(repository.url);
    assert.notEqual(await clone.git('rev-parse', 'HEAD'), next);
  });
});

describe('a server without disk space and without sync', () => {
  it('tells the command status, too', async () => {
    const settings = { NGIT_MIN_FREE_DISK_BYTES: kMore, NGIT_SYNC_ENABLED: 'false' };
    const server = await graspServer(settings, { ready: false });
    await server.logged(/ serves /);
    const status = await run(['status', '--url', server.origin], { directory: server.directory });
    assert.equal(status.code, 2);
    assert.match(status.stderr, kWords);
    await server.stop();
  });
});
