// Where the server listens: bound, inherited from a test, or handed over by the service manager.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import net from 'node:net';
import path from 'node:path';
import { describe, it } from 'node:test';
import {
  binary,
  Client,
  listener,
  removeDirectory,
  request,
  run,
  temporaryDirectory,
  until,
  within,
} from '../helpers/harness.mjs';

// Runs it by hand, since here the ways of starting are the question.
async function start(t, { command = `exec "${binary}" serve`, settings = {}, fd } = {}) {
  const directory = await temporaryDirectory();
  const env = {
    PATH: process.env.PATH,
    NGIT_RELAY_DATA_PATH: path.join(directory, 'relay'),
    ...settings,
  };
  const child = spawn('/bin/sh', ['-c', command], {
    cwd: directory,
    env,
    stdio: ['ignore', 'pipe', 'pipe', fd ?? 'ignore'],
  });
  const server = { child, output: '', exited: once(child, 'close') };
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => (server.output += text));
  t.after(async () => {
    child.kill('SIGTERM');
    await within(server.exited, () => `the end; it said ${server.output}`).finally(() =>
      child.kill('SIGKILL'),
    );
    await removeDirectory(directory);
  });
  return server;
}
const ready = (port) =>
  until(
    () =>
      request(`http://127.0.0.1:${port}/readyz`).then(
        ({ status }) => status === 200,
        () => false,
      ),
    'readiness',
  );

describe('listening', () => {
  it('on port 0 takes a free one and says which', async (t) => {
    const server = await start(t, { settings: { NGIT_BIND_ADDRESS: '127.0.0.1:0' } });
    const port = await until(
      () => server.output.match(/127\.0\.0\.1:([1-9]\d*)/)?.[1],
      'the port in the log',
    );
    await ready(port);
    await (await Client.connect(`ws://127.0.0.1:${port}`)).alive();
  });

  it('on a given port works', async (t) => {
    const { socket, port } = await listener();
    socket.close();
    await once(socket, 'close');
    await start(t, { settings: { NGIT_BIND_ADDRESS: `127.0.0.1:${port}` } });
    await ready(port);
  });

  it('on a port that is taken fails with a sentence', async (t) => {
    const { socket, port } = await listener();
    t.after(() => socket.close());
    const directory = await temporaryDirectory();
    t.after(() => removeDirectory(directory));
    const { code, output } = await run(['serve'], {
      directory,
      settings: { NGIT_BIND_ADDRESS: `127.0.0.1:${port}` },
    });
    assert.notEqual(code, 0);
    assert.match(output, new RegExp(`${port}`));
  });

  it('takes the socket a service manager hands over', async (t) => {
    const { socket, fd, port } = await listener();
    const settings = { LISTEN_FDS: '1' };
    await start(t, { command: `LISTEN_PID=$$ exec "${binary}" serve`, settings, fd });
    socket.close();
    await ready(port);
    await (await Client.connect(`ws://127.0.0.1:${port}`)).alive();
  });

  it('loses no connection made before the server was ready', async (t) => {
    const { socket, fd, port } = await listener();
    const server = await start(t, {
      command: `LISTEN_PID=$$; export LISTEN_PID; exec "${binary}" serve`,
      settings: { LISTEN_FDS: '1' },
      fd,
    });
    socket.close();
    const early = net.connect(port, '127.0.0.1');
    await once(early, 'connect');
    early.write('GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    let text = '';
    early.on('data', (data) => (text += data));
    await within(once(early, 'close'), () => `an answer; there is ${text} and ${server.output}`);
    assert.match(text, /^HTTP\/1\.1 200/);
  });

  it('ignores a hand-over that is meant for another process', async (t) => {
    const { socket, fd, port } = await listener();
    const settings = { LISTEN_FDS: '1', LISTEN_PID: '1', NGIT_BIND_ADDRESS: '127.0.0.1:0' };
    const server = await start(t, { settings, fd });
    socket.close();
    const own = await until(
      () => server.output.match(/127\.0\.0\.1:([1-9]\d*)/)?.[1],
      'the port in the log',
    );
    assert.notEqual(Number(own), port);
    await ready(own);
  });

  it('refuses a test socket that is none', async (t) => {
    const server = await start(t, { settings: { NGIT_TEST: '1', NGIT_TEST_LISTENER_FD: '3' } });
    const [code] = await within(server.exited, () => 'the end');
    assert.notEqual(code, 0);
    assert.match(server.output, /NGIT_TEST_LISTENER_FD/);
  });
});
