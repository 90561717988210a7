// How a connection begins, and how a silent one ends (RFC 6455, RFC 9112).
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import { WebSocket } from 'ws';
import { Bytes, handshake } from '../helpers/raw_socket.mjs';
import { Client, sharedServer, until, within } from '../helpers/harness.mjs';

describe('handshakes', () => {
  const relay = sharedServer();
  const status = async (text) => {
    const bytes = await Bytes.connect(relay.server.port);
    const answer = await bytes.answer(text);
    bytes.socket.destroy();
    return answer;
  };

  it('succeed in every legal spelling', async () => {
    for (const changes of [
      {},
      { Connection: 'keep-alive, Upgrade' },
      { Connection: 'Upgrade,keep-alive' },
      { Connection: 'upgrade' },
      { Upgrade: 'WebSocket' },
      { Origin: 'https://example.org' },
      { 'Sec-WebSocket-Extensions': 'permessage-deflate; client_max_window_bits, x-unknown' },
    ]) {
      assert.equal(await status(handshake(changes)), 101, JSON.stringify(changes));
    }
    assert.equal(
      await status(
        handshake()
          .toLowerCase()
          .replace('get / http', 'GET / HTTP')
          .replace(/key: .*\r/, 'key: dGhlIHNhbXBsZSBub25jZQ==\r'),
      ),
      101,
    );
  });

  it('prove that the key was read', async () => {
    const bytes = await Bytes.connect(relay.server.port);
    await bytes.answer(handshake());
    assert.match(bytes.text, /sec-websocket-accept: s3pPLMBiTxaQ9kYGzzhZRbK\+xOo=/i);
    assert.match(bytes.text, /access-control-allow-origin: \*/i);
    bytes.socket.destroy();
  });

  it('that are broken are answered with 400 or 426', async () => {
    for (const changes of [
      { 'Sec-WebSocket-Key': undefined },
      { 'Sec-WebSocket-Version': undefined },
      { 'Sec-WebSocket-Version': '8' },
      { 'Sec-WebSocket-Key': 'short' },
    ]) {
      const answer = await status(handshake(changes));
      assert.ok([400, 426].includes(answer), `${JSON.stringify(changes)}: ${answer}`);
    }
  });

  it('that are no HTTP are answered with 400 or hung up on', async () => {
    for (const text of [
      '\r\n\r\n\r\n\r\n',
      'nonsense\r\n\r\n',
      'GET\r\n\r\n',
      'GET / HTTP/9.9\r\n\r\n',
      '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n',
      'GET / HTTP/1.1\r\nno colon\r\n\r\n',
      'GET / HTTP/1.1\r\nContent-Length: x\r\n\r\n',
    ]) {
      const answer = await status(text);
      assert.ok(
        Number.isNaN(answer) || (answer >= 400 && answer < 600),
        `${JSON.stringify(text)}: ${answer}`,
      );
    }
    await (await relay.connect()).alive();
  });

  it('that two servers could read differently are answered with 400', async () => {
    for (const text of [
      'GET / HTTP/1.1\r\n\r\n',
      'GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n',
      'GET / HTTP/1.1\r\nHost: a\r\nX: b\r\n c\r\n\r\n',
      'GET / HTTP/1.1\r\nHost: a\nX: b\r\n\r\n',
      'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nTransfer-Encoding: chunked\r\n\r\n',
      'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n',
      handshake({ Host: undefined }),
    ])
      assert.equal(await status(text), 400, JSON.stringify(text));
  });

  it('with headers beyond all measure are refused', async () => {
    const answer = await status(handshake({ 'X-Long': 'x'.repeat(100_000) }));
    assert.ok(Number.isNaN(answer) || (answer >= 400 && answer < 500), `${answer}`);
  });

  it('may be followed by other requests on the same connection when they are none', async () => {
    const bytes = await Bytes.connect(relay.server.port);
    bytes.socket.write(
      'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\nGET /nowhere HTTP/1.1\r\nHost: x\r\n\r\n',
    );
    assert.equal(
      await bytes.answer('GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'),
      200,
    );
    await within(bytes.ended, () => 'the connection to be closed');
    assert.deepEqual(bytes.text.match(/HTTP\/1\.1 \d+/g), [
      'HTTP/1.1 200',
      'HTTP/1.1 404',
      'HTTP/1.1 200',
    ]);
  });

  it('do not have to wait for the answer before the first message', async () => {
    const bytes = await Bytes.connect(relay.server.port);
    const text = '["REQ","early",{"kinds":[9]}]';
    const frame = Buffer.concat([
      Buffer.from([0x81, 0x80 | text.length, 0, 0, 0, 0]),
      Buffer.from(text),
    ]);
    bytes.socket.write(Buffer.concat([Buffer.from(handshake()), frame]));
    const eose = new Promise((resolve) =>
      bytes.socket.on('data', () => bytes.text.includes('"EOSE","early"') && resolve()),
    );
    await within(eose, () => `EOSE; there is ${bytes.text}`);
    bytes.socket.destroy();
  });
});

describe('silent clients', () => {
  const relay = sharedServer({
    NGIT_HANDSHAKE_TIMEOUT_SECS: '1',
    NGIT_PING_INTERVAL_SECS: '1',
    NGIT_IDLE_TIMEOUT_SECS: '2',
  });

  it('that never finish their request are dropped', async () => {
    for (const text of ['', 'GET / HTTP/1.1\r\nHost: x\r\n']) {
      const bytes = await Bytes.connect(relay.server.port);
      bytes.socket.write(text);
      await within(bytes.ended, () => 'the end');
    }
  });

  it('are pinged, kept when they answer and dropped when they do not', async () => {
    const polite = await relay.connect();
    const rude = new Client(new WebSocket(relay.server.url, { autoPong: false }));
    await once(rude.socket, 'open');
    await within(once(polite.socket, 'ping'), () => 'a ping');
    await rude.closed();
    await polite.alive();
  });
});

describe('clients of a patient operator', () => {
  const relay = sharedServer({
    NGIT_HANDSHAKE_TIMEOUT_SECS: '0',
    NGIT_PING_INTERVAL_SECS: '0',
    NGIT_IDLE_TIMEOUT_SECS: '0',
  });
  const later = async (seconds) => {
    const end = (await relay.server.metric('ngit_uptime_seconds')) + seconds;
    const reached = async () => (await relay.server.metric('ngit_uptime_seconds')) > end;
    await until(reached, 'the clock of the server');
  };

  it('are neither pinged nor dropped, since 0 means never', async () => {
    const client = await relay.connect();
    let pings = 0;
    client.socket.on('ping', () => ++pings);
    await later(1.5);
    await client.alive();
    assert.equal(pings, 0);
  });

  it('may take their time for a request', async () => {
    const bytes = await Bytes.connect(relay.server.port);
    bytes.socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n');
    await later(1.5);
    assert.equal(await bytes.answer('Connection: close\r\n\r\n'), 200);
  });
});

describe('many handshakes', () => {
  const relay = sharedServer({ NGIT_HANDSHAKE_TIMEOUT_SECS: '1' }); // often looks for late ones

  it('all succeed', async () => {
    for (let i = 0; i < 6000; i += 100) {
      const clients = await Promise.all(Array.from({ length: 100 }, () => relay.connect()));
      clients.forEach((client) => client.close());
    }
  });
});
