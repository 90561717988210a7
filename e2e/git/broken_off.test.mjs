// Clients that go away and servers that are killed, in the middle of it.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import net from 'node:net';
import { before, describe, it } from 'node:test';
import { begin, commandList, kFlush, kNone, packet } from '../helpers/git_wire.mjs';
import { removeDirectory, temporaryDirectory, until } from '../helpers/harness.mjs';
import {
  Checkout,
  gitEnvironment,
  graspServer,
  incoming,
  onDisk,
  processesOf,
  remoteRefs,
  Repository,
  sharedHost,
} from '../helpers/repository.mjs';

// More than the sockets on the way can hold.
const kLarge = 12 << 20;

async function largeCheckout() {
  const copy = await Checkout.create();
  await copy.commit('large', { blob: randomBytes(kLarge) });
  return copy;
}
// git beside us, which can be killed.
function start(copy, ...parameters) {
  const options = { cwd: copy.directory, env: gitEnvironment(copy.directory), detached: true };
  const child = spawn('git', parameters, { ...options, stdio: 'ignore' });
  return { child, kill: () => process.kill(-child.pid, 'SIGKILL') };
}
// A way to the server that lets a megabyte through in each direction and holds the rest back:
// who goes through it stays in the middle of a large transfer. (A socket that is not read from does
// not notice that git was killed, so the test breaks the way off.)
async function narrowWay(server, t) {
  const sockets = [];
  const lets = (from, to) => {
    let through = 0;
    from.on('data', (bytes) => {
      to.write(bytes);
      through += bytes.length;
      if (through > 1 << 20) from.pause();
    });
    from.on('close', () => to.destroy());
    from.on('error', () => {});
  };
  const way = net.createServer((near) => {
    const far = net.connect(server.port, '127.0.0.1');
    sockets.push(near, far);
    lets(near, far);
    lets(far, near);
  });
  way.listen(0, '127.0.0.1');
  await once(way, 'listening');
  t.after(() => {
    sockets.forEach((socket) => socket.destroy());
    way.close();
  });
  const { port } = way.address();
  return {
    to: (repository) => repository.url.replace(`:${server.port}/`, `:${port}/`),
    breakOff: () => sockets.forEach((socket) => socket.destroy()),
  };
}
// A push that has sent half of its pack.
async function beginPush(server, repository, copy) {
  const tip = await copy.git('rev-parse', 'HEAD');
  const pack = await copy.pack(tip);
  const { outgoing } = begin(repository, 'git-receive-pack');
  outgoing.on('error', () => {});
  outgoing.write(commandList([[kNone, tip, 'refs/heads/main']]));
  outgoing.write(pack.subarray(0, pack.length / 2));
  const received = async () =>
    (await incoming(server)).length === 1 && (await processesOf(server)).length > 0;
  await until(received, 'the push to have begun');
  return outgoing;
}
const idle = (server) =>
  until(async () => (await processesOf(server)).length === 0, 'all processes to end, also zombies');
const swept = (server) =>
  until(async () => (await incoming(server)).length === 0, 'nothing to be left of the push');

describe('a client that goes away', () => {
  const host = sharedHost();
  let repository, copy;
  before(async () => {
    repository = new Repository(host.server);
    copy = await largeCheckout();
    await repository.publish(host.client, { checkout: copy });
  });

  it('while it clones and does not read leaves no process behind', async () => {
    const tip = await copy.git('rev-parse', 'HEAD');
    const { outgoing, answered } = begin(repository, 'git-upload-pack');
    outgoing.end(
      Buffer.concat([packet(`want ${tip} side-band-64k ofs-delta\n`), kFlush, packet('done\n')]),
    );
    const response = await answered;
    response.on('error', () => {});
    await once(response, 'readable');
    assert.notDeepEqual(await processesOf(host.server), []);
    outgoing.destroy();
    await idle(host.server);
  });

  it('killed in the middle of a clone leaves no process behind', async (t) => {
    const reader = await Checkout.create();
    const way = await narrowWay(host.server, t);
    const { child, kill } = start(reader, 'clone', way.to(repository), 'x');
    await until(async () => (await processesOf(host.server)).length > 0, 'the clone to begin');
    kill();
    await once(child, 'exit');
    way.breakOff();
    await idle(host.server);
  });

  it('in the middle of a push leaves nothing behind', async () => {
    const other = new Repository(host.server);
    await host.client.publishAll([other.announcement(), other.state(await copy.refs())]);
    const outgoing = await beginPush(host.server, other, copy);
    outgoing.destroy();
    await idle(host.server);
    await swept(host.server);
    assert.deepEqual(await remoteRefs(other.url), {});
    await copy.git('push', '--quiet', other.url, 'main');
    await (await onDisk(other)).git('fsck', '--full', '--strict');
  });

  it('killed in the middle of a push leaves nothing behind', async (t) => {
    const way = await narrowWay(host.server, t);
    const other = new Repository(host.server);
    await host.client.publishAll([other.announcement(), other.state(await copy.refs())]);
    const { child, kill } = start(copy, 'push', way.to(other), 'main');
    await until(async () => (await incoming(host.server)).length > 0, 'the push to begin');
    kill();
    await once(child, 'exit');
    way.breakOff();
    await idle(host.server);
    await swept(host.server);
    await copy.git('push', '--quiet', other.url, 'main');
    await (await onDisk(other)).git('fsck', '--full', '--strict');
  });
});

// One folder for the servers of a test, which come one after the other.
async function inOneFolder(body) {
  const directory = await temporaryDirectory();
  const servers = [];
  const startServer = async () => {
    servers.push(await graspServer({ NGIT_DOMAIN: 'grasp.test' }, { directory }));
    return servers.at(-1);
  };
  try {
    await body(startServer);
  } finally {
    servers.forEach((server) => server.child.kill('SIGKILL'));
    await Promise.all(servers.map((server) => server.exit()));
    await removeDirectory(directory);
  }
}
function on(server, repository) {
  return Object.assign(new Repository(server, repository), { stateTime: repository.stateTime });
}

describe('a server that is killed in the middle of a push', () => {
  it('starts again with a whole repository, and takes the push then', () =>
    inOneFolder(async (startServer) => {
      const server = await startServer();
      const client = await server.connect();
      const repository = new Repository(server);
      const copy = await repository.publish(client);
      const served = await remoteRefs(repository.url);
      await copy.commit('large', { blob: randomBytes(kLarge) });
      await repository.declare(client, await copy.refs());
      await beginPush(server, repository, copy);
      const left = await processesOf(server);
      await server.kill();
      for (const { pid } of left)
        await until(() => !existsSync(`/proc/${pid}`), `the end of ${pid}`);

      const again = await startServer();
      const same = on(again, repository);
      assert.deepEqual(await incoming(again), []);
      assert.deepEqual(await remoteRefs(same.url), served);
      await (await onDisk(same)).git('fsck', '--full', '--strict');
      await copy.git('push', '--quiet', same.url, 'main');
      assert.equal((await remoteRefs(same.url)).HEAD, await copy.git('rev-parse', 'HEAD'));
    }));

  it('keeps refs and objects together, whenever it happens', () =>
    inOneFolder(async (startServer) => {
      let server = await startServer();
      let repository = new Repository(server);
      const copy = await repository.publish(await server.connect());
      for (const moment of [30, 60, 90, 120]) {
        await copy.commit(`after ${moment} ms`, { blob: randomBytes(2 << 20) });
        await repository.declare(await server.connect(), await copy.refs());
        const pushing = copy.git('push', '--quiet', repository.url, 'main').catch(() => {});
        setTimeout(() => server.child.kill('SIGKILL'), moment);
        await Promise.all([pushing, server.exit()]);
        server = await startServer();
        repository = on(server, repository);
        await (await onDisk(repository)).git('fsck', '--full', '--strict');
        await copy.git('push', '--quiet', repository.url, 'main');
        assert.equal((await remoteRefs(repository.url)).HEAD, await copy.git('rev-parse', 'HEAD'));
      }
    }));
});
