// graspd sync: this database and any relay, once.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { after, before, describe, it } from 'node:test';
import { WebSocketServer } from 'ws';

import { Author, ids, newestFirst, now } from '../helpers/events.mjs';
import {
  binary,
  kDeadline,
  removeDirectory,
  run,
  Server,
  temporaryDirectory,
  until,
  within,
} from '../helpers/harness.mjs';

const kOpen = { NGIT_ACCEPT: 'open' };

async function sync(directory, parameters, settings = {}) {
  const result = await run(['sync', ...parameters, '--json'], {
    directory,
    settings: { ...kOpen, ...settings },
    ms: 4 * kDeadline,
  });
  const summary = result.stdout ? JSON.parse(result.stdout) : undefined;
  return { ...result, summary };
}

async function stored(directory) {
  const { stdout } = await run(['export'], { directory });
  return new Set(
    stdout
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line).id),
  );
}
async function importAll(directory, events) {
  const input = events.map((event) => JSON.stringify(event)).join('\n');
  assert.equal((await run(['import'], { directory, input })).code, 0);
}
const setOf = (events) => new Set(ids(events));

function inDirectory(t, directory) {
  t.after(() => removeDirectory(directory));
  return directory;
}

// A relay that answers as `habits` say: each takes a message and a way to reply.
class ScriptedRelay {
  static async start(events, habits = {}) {
    const relay = new ScriptedRelay();
    relay.server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
    await once(relay.server, 'listening');
    relay.heard = [];
    relay.server.on('connection', (socket) => {
      const say = (...message) => socket.send(JSON.stringify(message));
      habits.hello?.(say, socket);
      socket.on('message', (data) => {
        const message = JSON.parse(data.toString());
        relay.heard.push(message);
        const habit = habits[message[0]] ?? kHabits[message[0]];
        habit?.(message, say, { events, cap: habits.cap ?? 500, socket });
      });
    });
    return relay;
  }
  get url() {
    return `ws://127.0.0.1:${this.server.address().port}`;
  }
  stop() {
    for (const socket of this.server.clients) socket.terminate();
    this.server.close();
  }
}

const kHabits = {
  REQ([, id, filter], say, { events, cap }) {
    const fits = (event) =>
      (!filter.ids || filter.ids.includes(event.id)) &&
      (!filter.kinds || filter.kinds.includes(event.kind)) &&
      event.created_at >= (filter.since ?? 0) &&
      event.created_at <= (filter.until ?? Infinity);
    const limit = Math.min(filter.limit ?? cap, cap);
    for (const event of newestFirst(events.filter(fits)).slice(0, limit)) say('EVENT', id, event);
    say('EOSE', id);
  },
  'NEG-OPEN'(_, say) {
    say('NOTICE', 'ERROR: bad msg: negentropy disabled');
  },
  EVENT([, event], say, { events }) {
    events.push(event);
    say('OK', event.id, true, '');
  },
};

describe('graspd sync', () => {
  const author = new Author();
  const events = author.notes(1200, { from: now() - 100_000 });
  let peer;
  before(async () => {
    peer = await Server.start();
    await (await peer.connect()).publishAll(events);
  });
  after(() => peer?.stop());

  it('fetches everything, and the second time nothing', async (t) => {
    const directory = inDirectory(t, await temporaryDirectory());
    const first = await sync(directory, [peer.url]);
    assert.equal(first.code, 0, first.output);
    assert.equal(first.summary.stored, 1200);
    assert.equal(first.summary.complete, true);
    assert.deepEqual(await stored(directory), setOf(events));
    const second = await sync(directory, [peer.url]);
    assert.equal(second.code, 0, second.output);
    assert.equal(second.summary.already_here, 1200);
    assert.equal(second.summary.fetched, 0);
    assert.ok(second.summary.bytes_in < 10_000, second.stdout);
  });

  it('says it in words, too', async (t) => {
    const directory = inDirectory(t, await temporaryDirectory());
    const parameters = ['sync', peer.url, '--filter', '{"kinds":[7]}'];
    const { code, stdout } = await run(parameters, { directory, settings: kOpen });
    assert.equal(code, 0);
    assert.match(stdout, /complete/);
    assert.match(stdout, /0 on both sides/);
  });

  it('keeps to its filters', async (t) => {
    const directory = inDirectory(t, await temporaryDirectory());
    const filter = (from, to) =>
      JSON.stringify({ since: events[from].created_at, until: events[to].created_at });
    const { code, summary, output } = await sync(directory, [
      peer.url,
      '--filter',
      filter(0, 9),
      '--filter',
      filter(100, 119),
    ]);
    assert.equal(code, 0, output);
    assert.equal(summary.stored, 30);
    assert.deepEqual(
      await stored(directory),
      setOf([...events.slice(0, 10), ...events.slice(100, 120)]),
    );
  });

  it('changes nothing in a dry run', async (t) => {
    const directory = inDirectory(t, await temporaryDirectory());
    await importAll(directory, [...events.slice(0, 200), ...new Author().notes(3)]);
    const { code, summary } = await sync(directory, [peer.url, '--dry-run', '--both']);
    assert.equal(code, 0);
    assert.equal(summary.missing_here, 1000);
    assert.equal(summary.peer_lacks, 3);
    assert.equal(summary.already_here, 200);
    assert.equal((await stored(directory)).size, 203);
  });

  it('reads page by page when told to, with the same result', async (t) => {
    const directory = inDirectory(t, await temporaryDirectory());
    const { code, summary } = await sync(directory, [peer.url], {
      NGIT_SYNC_DISABLE_NEGENTROPY: 'true',
    });
    assert.equal(code, 0);
    assert.ok(summary.pages >= 2);
    assert.deepEqual(await stored(directory), setOf(events));
  });

  it('splits by time what the peer calls too large', async (t) => {
    const small = await Server.start({ NGIT_MAX_NEGENTROPY_ITEMS: '100' });
    t.after(() => small.stop());
    const spread = Array.from({ length: 600 }, (_, i) =>
      author.sign({ created_at: now() - i * 1000, content: `spread ${i}` }),
    );
    await (await small.connect()).publishAll(spread);
    const directory = inDirectory(t, await temporaryDirectory());
    await importAll(directory, spread.slice(100, 250));
    const { code, summary, output } = await sync(directory, [small.url]);
    assert.equal(code, 0, output);
    assert.equal(summary.stored, 450);
    assert.equal(summary.pages, 0);
  });

  it('sends what the peer lacks, and both ways', async (t) => {
    const other = await Server.start();
    t.after(() => other.stop());
    const theirs = new Author().notes(40);
    const ours = new Author().notes(700);
    const client = await other.connect();
    await client.publishAll(theirs);
    const directory = inDirectory(t, await temporaryDirectory());
    await importAll(directory, ours);

    const up = await sync(directory, [other.url, '--up']);
    assert.equal(up.code, 0, up.output);
    assert.equal(up.summary.uploaded, 700);
    assert.equal(up.summary.stored, 0);
    assert.equal(await client.count({}).then(({ count }) => count), 740);
    const both = await sync(directory, [other.url, '--both']);
    assert.equal(both.code, 0, both.output);
    assert.equal(both.summary.uploaded, 0);
    assert.equal(both.summary.stored, 40);
    assert.deepEqual(await stored(directory), setOf([...ours, ...theirs]));
  });

  it('bears a peer that wants it to go slowly', async (t) => {
    const slow = await Server.start({ NGIT_MAX_EVENTS_PER_MINUTE: '600' });
    t.after(() => slow.stop());
    const directory = inDirectory(t, await temporaryDirectory());
    await importAll(directory, new Author().notes(640));
    const { code, summary, output } = await sync(directory, [slow.url, '--up']);
    assert.equal(code, 0, output);
    assert.equal(summary.uploaded, 640);
  });

  it('tells why uploads were refused, and exits 1', async (t) => {
    const strict = await Server.start({ NGIT_RELAY_MAX_EVENT_SIZE_BYTES: '2000' });
    t.after(() => strict.stop());
    const directory = inDirectory(t, await temporaryDirectory());
    const writer = new Author();
    const large = writer.sign({ content: 'x'.repeat(3000) });
    await importAll(directory, [large, ...writer.notes(2)]);
    const { code, summary } = await sync(directory, [strict.url, '--up']);
    assert.equal(code, 1);
    assert.equal(summary.uploaded, 2);
    assert.match(Object.keys(summary.upload_refused)[0], /^blocked: event size/);
  });

  it('asks the policy of a GRASP server about everything', async (t) => {
    const directory = inDirectory(t, await temporaryDirectory());
    const settings = { NGIT_ACCEPT: 'grasp' };
    const filter = JSON.stringify({ since: events[1100].created_at });
    const ask = () => sync(directory, [peer.url, '--filter', filter], settings);
    const { code, summary, output } = await ask();
    assert.equal(code, 0, output);
    assert.equal(summary.stored, 0);
    assert.equal(
      Object.values(summary.refused).reduce((sum, count) => sum + count, 0),
      100,
    );
    assert.equal((await stored(directory)).size, 0);
    assert.equal((await ask()).summary.fetched, 0, 'what was refused is not fetched again');
  });

  describe('beside a running server', () => {
    const tight = { NGIT_MAX_EVENTS_PER_MINUTE: '5', NGIT_MAX_EVENTS_PER_MINUTE_PER_IP: '5' };
    let server;
    const beside = (...parameters) =>
      sync(server.directory, parameters, {
        NGIT_BIND_ADDRESS: `127.0.0.1:${server.port}`,
        NGIT_DOMAIN: `127.0.0.1:${server.port}`,
      });
    before(async () => (server = await Server.start(tight)));
    after(() => server?.stop());

    it('hands the events to it, without its limits for clients', async () => {
      const client = await server.connect();
      await client.subscribe('live', { authors: [author.pubkey], limit: 0 });
      const { code, summary, output } = await beside(peer.url);
      assert.equal(code, 0, output);
      assert.equal(summary.stored, 1200);
      assert.equal((await client.count({ authors: [author.pubkey] })).count, 1200);
      await client.next('EVENT', 'live');
      assert.equal((await beside(peer.url)).summary.fetched, 0);
    });

    it('sends from it', async (t) => {
      const other = await Server.start();
      t.after(() => other.stop());
      const { code, summary, output } = await beside(other.url, '--up');
      assert.equal(code, 0, output);
      assert.equal(summary.uploaded, 1200);
    });

    it('does not take another server for its own', async () => {
      const { code, summary } = await sync(server.directory, [peer.url], {
        NGIT_BIND_ADDRESS: `127.0.0.1:${peer.port}`,
      });
      assert.equal(code, 3);
      assert.match(summary.troubles[0], /identity/);
    });
  });
});

describe('graspd sync with relays that are no help', () => {
  const author = new Author();
  let directory;
  before(async () => (directory = await temporaryDirectory()));
  after(() => removeDirectory(directory));

  async function scripted(t, events, habits) {
    const relay = await ScriptedRelay.start(events, habits);
    t.after(() => relay.stop());
    return relay;
  }

  it('reads a peer without negentropy to its end, storms included', async (t) => {
    const base = now() - 50_000;
    const storm = Array.from({ length: 130 }, (_, i) =>
      author.sign({ kind: 1 + (i % 2) * 6, created_at: base + 300, content: `storm ${i}` }),
    );
    const events = [...author.notes(600, { from: base }), ...storm];
    const relay = await scripted(t, events, { cap: 100 });
    const target = inDirectory(t, await temporaryDirectory());
    const filter = ['--filter', '{"kinds":[1,7]}'];
    const { code, summary, output } = await sync(target, [relay.url, ...filter]);
    assert.equal(code, 0, output);
    assert.equal(summary.stored, 730);
    assert.deepEqual(await stored(target), setOf(events));

    const up = author.notes(5, { from: base - 100 });
    await importAll(target, up);
    const sent = await sync(target, [relay.url, '--up', ...filter]);
    assert.equal(sent.code, 0, sent.output);
    assert.equal(sent.summary.uploaded, 5);
  });

  it('goes on when the connection is cut again and again', async (t) => {
    const events = author.notes(200);
    const relay = await scripted(t, events, {
      cap: 1000,
      REQ(message, say, world) {
        let left = 60;
        const sayOrCut = (...said) => (left-- > 0 ? say(...said) : world.socket.terminate());
        kHabits.REQ(message, sayOrCut, world);
      },
    });
    const target = inDirectory(t, await temporaryDirectory());
    const { code, summary, output } = await sync(target, [relay.url]);
    assert.equal(code, 0, output);
    assert.equal(summary.stored, 200);
  });

  it('gives up a peer that stalls', async (t) => {
    const relay = await scripted(t, [], { 'NEG-OPEN': () => {}, REQ: () => {} });
    const { code, summary } = await sync(directory, [relay.url, '--inactivity-limit', '1']);
    assert.equal(code, 1);
    assert.match(summary.troubles[0], /no progress for 1 s/);
  });

  it('says who it is when asked, and that it was not let in', async (t) => {
    const events = author.notes(10);
    const asks = (letsIn) => {
      let known = false;
      return {
        hello: (say) => say('AUTH', 'challenge'),
        AUTH([, event], say) {
          known = letsIn && event.tags.some((tag) => tag.join() === 'challenge,challenge');
          say('OK', event.id, known, known ? '' : 'restricted: not you');
        },
        'NEG-OPEN': ([, id], say) =>
          say('NEG-ERR', id, known ? 'blocked: no' : 'auth-required: who?'),
        REQ(message, say, world) {
          if (!known) return say('CLOSED', message[1], 'auth-required: who?');
          kHabits.REQ(message, say, world);
        },
      };
    };
    const friendly = await scripted(t, events, asks(true));
    const target = inDirectory(t, await temporaryDirectory());
    const welcome = await sync(target, [friendly.url]);
    assert.equal(welcome.code, 0, welcome.output);
    assert.equal(welcome.summary.stored, 10);

    const hostile = await scripted(t, events, asks(false));
    const refused = await sync(directory, [hostile.url]);
    assert.equal(refused.code, 1, refused.output);
    assert.match(refused.summary.troubles.join(), /denies access: restricted/);
    assert.equal(hostile.heard.filter(([verb]) => verb === 'AUTH').length, 1);
  });

  it('counts ids that are promised and not delivered', async (t) => {
    const real = await Server.start();
    t.after(() => real.stop());
    const events = author.notes(30);
    const client = await real.connect();
    await client.publishAll(events);
    // Reconciles through the real one, but withholds an event.
    const relay = await scripted(t, events.slice(1), {
      'NEG-OPEN': ([, id, filter, message], say) => forward(['NEG-OPEN', id, filter, message], say),
      'NEG-MSG': (message, say) => forward(message, say),
    });
    async function forward(message, say) {
      client.send(...message);
      say(...(await client.next('NEG-MSG', message[1])));
    }
    const target = inDirectory(t, await temporaryDirectory());
    const { code, summary } = await sync(target, [relay.url]);
    assert.equal(code, 1);
    assert.equal(summary.undelivered, 1);
    assert.equal(summary.stored, 29);
  });

  it('takes no forged events', async (t) => {
    const events = author.notes(20);
    const forged = { ...events[3], content: 'something else' };
    const relay = await scripted(t, [...events.slice(0, 3), forged, ...events.slice(4)]);
    const target = inDirectory(t, await temporaryDirectory());
    const { summary } = await sync(target, [relay.url]);
    assert.equal(summary.stored, 19);
    assert.equal(summary.forged, 1);
  });

  it('keeps what arrived when it is interrupted, and goes on later', async (t) => {
    const events = author.notes(300);
    let stalls = true;
    const relay = await scripted(t, events, {
      cap: 100,
      REQ(message, say, world) {
        if (stalls && message[2].until !== undefined) return; // the first page is all it gives
        kHabits.REQ(message, say, world);
      },
    });
    const target = inDirectory(t, await temporaryDirectory());
    const child = spawn(binary, ['sync', relay.url, '--json'], {
      cwd: target,
      env: { PATH: process.env.PATH, NGIT_RELAY_DATA_PATH: `${target}/relay`, ...kOpen },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let stdout = '';
    child.stdout.on('data', (text) => (stdout += text));
    await until(() => relay.heard.filter(([verb]) => verb === 'REQ').length === 2, 'a second page');
    child.kill('SIGINT');
    const [code] = await within(once(child, 'close'), () => 'its end');
    assert.equal(code, 130);
    assert.equal(JSON.parse(stdout).stored, 100);
    assert.equal((await stored(target)).size, 100);

    stalls = false;
    const rest = await sync(target, [relay.url]);
    assert.equal(rest.code, 0, rest.output);
    assert.equal(rest.summary.stored, 200);
    assert.equal(rest.summary.already_here, 100);
  });

  it('exits 3 when nobody is there, and 2 when it was told nonsense', async () => {
    const nobody = await sync(directory, ['ws://127.0.0.1:1']);
    assert.equal(nobody.code, 3);
    assert.equal(nobody.summary.complete, false);
    for (const parameters of [
      [],
      ['https://relay.example.org'],
      ['ws://127.0.0.1:1', '--up', '--down'],
      ['ws://127.0.0.1:1', '--filter', '{"limit":5}'],
      ['ws://127.0.0.1:1', '--filter', 'nonsense'],
      ['ws://127.0.0.1:1', '--inactivity-limit', '0'],
    ]) {
      const { code, stderr } = await run(['sync', ...parameters], { directory, settings: kOpen });
      assert.equal(code, 2, parameters.join(' '));
      assert.match(stderr, /./);
    }
    const memory = { ...kOpen, NGIT_DATABASE_BACKEND: 'memory' };
    assert.equal((await run(['sync', 'ws://a'], { directory, settings: memory })).code, 2);
  });
});
