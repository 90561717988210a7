// Metrics that move when something happens.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Author, randomHex } from '../helpers/events.mjs';
import { sharedServer, until } from '../helpers/harness.mjs';

describe('metrics', () => {
  const relay = sharedServer();
  const value = async (name, labels) => (await relay.server.metric(name, labels)) ?? 0;
  const reaches = (expected, name, labels) =>
    until(
      async () => (await value(name, labels)) === expected,
      `${name} ${JSON.stringify(labels)} to be ${expected}`,
    );

  it('count connections', async () => {
    const [active, total] = [
      await value('ngit_websocket_connections_active'),
      await value('ngit_websocket_connections_total'),
    ];
    const clients = [await relay.connect(), await relay.connect()];
    await reaches(active + 2, 'ngit_websocket_connections_active');
    await reaches(total + 2, 'ngit_websocket_connections_total');
    assert.equal(await value('ngit_websocket_unique_ips'), 1);
    clients.forEach((client) => client.close());
    await reaches(active, 'ngit_websocket_connections_active');
    await reaches(total + 2, 'ngit_websocket_connections_total');
    assert.ok((await value('ngit_websocket_connection_duration_seconds_count')) >= 2);
  });

  it('count events received, stored and rejected, by kind', async () => {
    const client = await relay.connect();
    const author = new Author();
    const names = [
      'ngit_events_received_total',
      'ngit_events_stored_total',
      'ngit_events_rejected_total',
    ];
    const start = await Promise.all(names.map((name) => value(name, { kind: '1' })));
    const events = author.notes(3);
    await client.publishAll(events);
    await client.publish(events[0]);
    await client.publish({ ...author.sign(), sig: randomHex(64) });
    await reaches(start[0] + 5, names[0], { kind: '1' });
    await reaches(start[1] + 3, names[1], { kind: '1' });
    await reaches(start[2] + 1, names[2], { kind: '1' });
  });

  it('put rare kinds together, so that strangers cannot make series', async () => {
    const client = await relay.connect();
    await client.publishAll(
      Array.from({ length: 30 }, (_, i) => new Author().sign({ kind: 2000 + i })),
    );
    const { body } = await relay.server.get('/metrics');
    assert.doesNotMatch(body, /kind="20\d\d"/);
  });

  it('count messages in both directions', async () => {
    const client = await relay.connect();
    const heard = await value('ngit_websocket_messages_received_total', { type: 'REQ' });
    const sent = await value('ngit_websocket_messages_sent_total');
    await client.subscribe('a', { kinds: [9] });
    await client.subscribe('b', { kinds: [9] });
    await reaches(heard + 2, 'ngit_websocket_messages_received_total', { type: 'REQ' });
    await until(
      async () => (await value('ngit_websocket_messages_sent_total')) >= sent + 2,
      'two messages sent',
    );
    client.sendText('nonsense');
    await client.next('NOTICE');
    client.send('MADE-UP-VERB-OF-A-STRANGER', 'x');
    await client.next('NOTICE');
    assert.doesNotMatch((await relay.server.get('/metrics')).body, /MADE-UP/i);
  });

  it('tell about the process and the build', async () => {
    for (const name of [
      'process_resident_memory_bytes',
      'process_cpu_seconds_total',
      'process_open_fds',
      'process_start_time_seconds',
      'ngit_build_info',
      'ngit_uptime_seconds',
    ]) {
      assert.ok((await value(name)) > 0, name);
    }
    assert.ok(Math.abs((await value('process_start_time_seconds')) - Date.now() / 1000) < 600);
  });

  it('are well-formed', async () => {
    const { body } = await relay.server.get('/metrics');
    const names = new Set();
    for (const line of body.split('\n').filter(Boolean)) {
      assert.match(line, /^# (HELP|TYPE) \w+ .+$|^\w+(\{(\w+="[^"\n]*",?)*\})? (\S+)$/);
      const name = line.match(/^# TYPE (\w+)/)?.[1];
      if (!name) continue;
      assert.ok(!names.has(name), `${name} twice`);
      names.add(name);
    }
  });
});
