// Frames and compression (RFC 6455, RFC 7692).
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import { deflateRawSync } from 'node:zlib';
import { Bytes, handshake } from '../helpers/raw_socket.mjs';
import { Author } from '../helpers/events.mjs';
import { Server, sharedServer, within } from '../helpers/harness.mjs';

const kLimit = 5 * 1024 * 1024;

describe('frames', () => {
  const relay = sharedServer();

  it('of bytes get a NOTICE, and the connection goes on', async () => {
    const client = await relay.connect();
    client.socket.send(Buffer.from('["REQ","x",{}]'));
    assert.deepEqual(await client.next('NOTICE'), [
      'NOTICE',
      'binary messages are not processed by this relay',
    ]);
    await client.alive();
  });

  it('may carry one message in parts', async () => {
    const client = await relay.connect();
    const text = JSON.stringify(['REQ', 'parts', { kinds: [9] }]);
    [...text].forEach((letter, i) => client.socket.send(letter, { fin: i === text.length - 1 }));
    await client.next('EOSE', 'parts');
  });

  it('may be pings, which are answered with the same bytes', async () => {
    const client = await relay.connect();
    const pong = once(client.socket, 'pong');
    client.socket.ping('are you there?');
    const [data] = await within(pong, () => 'a pong');
    assert.equal(data.toString(), 'are you there?');
  });

  it('that close are answered', async () => {
    const client = await relay.connect();
    client.socket.close(1000, 'bye');
    assert.equal((await client.closed()).code, 1000);
  });

  it('larger than a message may be end the connection with 1009', async () => {
    const client = await relay.connect();
    client.sendText('x'.repeat(kLimit + 1));
    assert.equal((await client.closed()).code, 1009);
  });

  it('that are too large only together end it too', async () => {
    const client = await relay.connect();
    for (let i = 0; i < 12; ++i) client.socket.send('x'.repeat(512 * 1024), { fin: false });
    assert.equal((await client.closed()).code, 1009);
  });

  it('with broken UTF-8 are refused', async () => {
    for (const bytes of [
      [0xff],
      [0xc0, 0x80],
      [0xed, 0xa0, 0x80],
      [0xf4, 0x90, 0x80, 0x80],
      [0xe2, 0x82],
    ]) {
      const client = await relay.connect();
      client.socket.send(
        Buffer.concat([Buffer.from('["REQ","x'), Buffer.from(bytes), Buffer.from('",{}]')]),
        { binary: false },
      );
      const answer = client.next('NOTICE').then(
        ([, text]) => text,
        (error) => error.message,
      );
      assert.match(await answer, /^invalid: |closed: 1007/);
    }
  });
});

describe('compressed frames', () => {
  const relay = sharedServer();
  const compressing = { perMessageDeflate: { threshold: 0 } };

  it('work in both directions', async () => {
    const client = await relay.connect(compressing);
    assert.match(client.socket.extensions, /permessage-deflate/);
    const author = new Author();
    const events = Array.from({ length: 60 }, (_, i) =>
      author.sign({ created_at: 1_700_000_000 + i, content: `${i} `.repeat(2000) }),
    );
    await client.publishAll(events);
    const found = await client.query({ authors: [author.pubkey] });
    assert.deepEqual(found, [...events].reverse());
    await client.alive();
  });

  it('work without a shared window', async () => {
    const options = { threshold: 0, clientNoContextTakeover: true, serverNoContextTakeover: true };
    const client = await relay.connect({ perMessageDeflate: options });
    const author = new Author();
    await client.publishAll(author.notes(20));
    assert.equal((await client.query({ authors: [author.pubkey] })).length, 20);
  });

  it('that unfold beyond the limit end the connection, and cost no memory', async () => {
    const start = await relay.server.metric('process_resident_memory_bytes');
    const packed = deflateRawSync(Buffer.alloc(64 * 1024 * 1024, ' '), { level: 9 });
    const header = Buffer.from([0xc1, 0xff, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]); // mask of zeros
    header.writeUInt32BE(packed.length, 6);
    for (let i = 0; i < 20; ++i) {
      const bytes = await Bytes.connect(relay.server.port);
      await bytes.answer(
        handshake({ 'Sec-WebSocket-Extensions': 'permessage-deflate; client_max_window_bits' }),
      );
      assert.match(bytes.text, /permessage-deflate/);
      bytes.socket.write(Buffer.concat([header, packed]));
      await within(bytes.ended, () => 'the end');
    }
    const grown = (await relay.server.metric('process_resident_memory_bytes')) - start;
    assert.ok(grown < 40 * 1024 * 1024, `${grown} bytes`);
  });

  it('are not offered when the operator does not want them', async (t) => {
    const server = await Server.start({ NGIT_COMPRESSION: 'false' });
    t.after(() => server.stop());
    const client = await server.connect(compressing);
    assert.equal(client.socket.extensions, '');
    await client.alive();
  });
});

describe('frames that break the protocol', () => {
  const relay = sharedServer();

  it('end their connection and no other', async () => {
    const witness = await relay.connect();
    for (const frame of [
      [0x81, 0x02, 0x5b, 0x5d], // not masked
      [0xf1, 0x82, 0, 0, 0, 0, 0x5b, 0x5d], // reserved bits
      [0x83, 0x80, 0, 0, 0, 0], // unknown opcode
      [0x80, 0x80, 0, 0, 0, 0], // continues nothing
      [0x09, 0x80, 0, 0, 0, 0], // a ping in parts
      [0x89, 0xfe, 0x00, 0x80, 0, 0, 0, 0], // a ping that is too long
      [0x81, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0], // longer than any number
    ]) {
      const bytes = await Bytes.connect(relay.server.port);
      await bytes.answer(handshake());
      bytes.socket.write(Buffer.from(frame));
      await within(bytes.ended, () => `the end after ${frame}`);
    }
    await witness.alive();
  });

  it('may stop anywhere', async () => {
    const witness = await relay.connect();
    const whole = Buffer.concat([
      Buffer.from(handshake()),
      Buffer.from([0x81, 0x85, 1, 2, 3, 4, 5]),
    ]);
    for (let length = 1; length <= whole.length; length += 7) {
      const bytes = await Bytes.connect(relay.server.port);
      bytes.socket.end(whole.subarray(0, length));
      bytes.socket.resume();
      await within(bytes.ended, () => `the end after ${length} bytes`);
    }
    await witness.alive();
  });
});
