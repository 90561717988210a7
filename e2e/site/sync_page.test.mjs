// The page /sync in a real browser, beside real peers that come and go: what it shows is what
// /api/sync says, and nobody reloads it.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { sharedBrowser } from '../helpers/browser.mjs';
import { Author } from '../helpers/events.mjs';
import { listener, run, until } from '../helpers/harness.mjs';
import { relayStatus, SharedRepository, syncServer } from '../helpers/sync_servers.mjs';

const browser = sharedBrowser();

// Runs in the page.
const shownRows = (id) =>
  [...document.getElementById(id).tBodies[0].rows].map((row) => ({
    key: row.dataset.key,
    tone: row.querySelector('.tone')?.className,
    cells: [...row.cells].map((cell) => cell.textContent),
  }));
const shownText = (id) => document.getElementById(id).textContent;

// What the page should say of a relay, from what the server says of it; ages are left out.
const expected = (relay) => ({
  key: relay.url,
  state: relay.state,
  tone: `tone ${relay.tone}`,
  live: relay.live_filters + relay.rotating_filters === 0 ? 'none' : `${relay.live_filters}`,
  coverage:
    relay.coverage.all === 0
      ? 'unknown'
      : `${Math.floor((100 * relay.coverage.has) / relay.coverage.all)} %`,
});
const shown = ({ key, tone, cells }) => ({
  key,
  state: cells[1],
  tone,
  live: cells[4],
  coverage: cells[6],
});
const order = ['bad', 'warn', 'busy', 'good', 'idle'];
const inOrder = (relays) =>
  [...relays].sort((a, b) => order.indexOf(a.tone) - order.indexOf(b.tone)).map(expected);

// Runs in the page: words that are continued on another line. What is longer than these is no word
// but a URL or an id, and may be broken.
const brokenWords = () => {
  const kWordMax = 14;
  const broken = [];
  const walker = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (!node.parentElement.checkVisibility()) continue;
    for (const { 0: word, index } of node.data.matchAll(/[^\s…]+/g)) {
      const range = document.createRange();
      range.setStart(node, index);
      range.setEnd(node, index + word.length);
      const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
      if (word.length <= kWordMax && lines.size > 1) broken.push(word);
    }
  }
  return broken;
};

describe('The page of sync', () => {
  let a, b, repository, tab;
  const status = async () => JSON.parse((await b.get('/api/sync')).body);
  const rows = (id = 'relays') => tab.evaluate(shownRows, id);
  const text = (id) => tab.evaluate(shownText, id);
  // Waits until the page says what the server says, and returns that.
  const agreement = (condition, what) =>
    until(
      async () => {
        const said = await status();
        if (!condition(said)) return false;
        const same =
          JSON.stringify((await rows()).map(shown)) === JSON.stringify(inOrder(said.relays)) &&
          (await text('verdict')) === said.verdict;
        return same && said;
      },
      what,
      30_000,
    );
  const tone = (said, url) => said.relays.find((relay) => relay.url === url)?.tone;

  before(async () => {
    const settings = { NGIT_BASE_PATH: '/grasp' };
    [a, b] = await Promise.all([syncServer(), syncServer(settings)]);
    repository = new SharedRepository([a, b]);
    await repository.publishOn();
    // Announced, pushed and followed with all its filters: nothing changes by itself any more.
    const isSettled = (relay) => relay.link === 'connected' && relay.live_filters === 4;
    await relayStatus(b, a.url, isSettled);
    tab = browser.tabs.desk;
  });
  after(() => Promise.all([a?.stop(), b?.stop()]));

  it('is complete without a script', async () => {
    await tab.setJavaScriptEnabled(false);
    await tab.goto(`${b.origin}/grasp/sync`);
    await tab.setJavaScriptEnabled(true);
    const said = await status();
    assert.deepEqual((await rows()).map(shown), inOrder(said.relays));
    assert.equal(await text('verdict'), said.verdict);
    assert.match(said.verdict, /^complete: 1 relay followed/);
    const [row] = await rows('repositories');
    assert.equal(row.key, repository.address);
    assert.ok(row.cells.at(-1).includes(a.url), row.cells.at(-1));
  });

  it('fits every screen, and browsers have nothing to complain of', async () => {
    await browser.onEveryScreen(`${b.origin}/grasp/sync`, (seen) => {
      assert.deepEqual(seen.headings.h2, ['Relays', 'Repositories']);
      assert.ok(seen.contrast >= 4.5, `${seen.contrast}`);
    });
  });

  it('follows peers that go and come, without a reload', async () => {
    await tab.goto(`${b.origin}/grasp/sync`);
    await tab.evaluate(() => (globalThis.untouched = true));
    await agreement((said) => tone(said, a.url) === 'good', 'the first view');
    const { directory, port } = a;
    a.owned = false;
    await a.kill();
    const said = await agreement((now) => tone(now, a.url) === 'bad', 'the loss to be seen');
    assert.equal(said.verdict, 'the only relay is not reachable');
    // The first failure may be that of the connection which was being opened.
    const why = async () => (await rows()).find(({ key }) => key === a.url).cells[2];
    await until(async () => /refused.*failed \d+ times?/.test(await why()), 'the refusal', 30_000);
    a = await syncServer({}, { directory, port });
    a.owned = true;
    await agreement((now) => tone(now, a.url) === 'good', 'the return to be seen');
    assert.equal(await tab.evaluate(() => globalThis.untouched), true);
  });

  it('shows a relay that was announced meanwhile, and what it fails with', async () => {
    await tab.goto(`${b.origin}/grasp/sync`);
    const { socket, port } = await listener();
    socket.close();
    const nobody = `ws://127.0.0.1:${port}`;
    const client = await b.connect();
    const relays = [a.url, b.url, nobody];
    const another = new SharedRepository([b, a], { owner: new Author(), identifier: 'another' });
    await client.publishAll([another.announcement({ relays })]);
    await agreement((now) => tone(now, nobody) === 'bad', 'the new relay');
    await until(
      async () => (await rows('repositories')).some(({ key }) => key === another.address),
      'the new repository',
      20_000,
    );
    client.close();
  });

  it('breaks no words, however long the names are', async () => {
    const client = await b.connect();
    const long = 'with-a-path-that-is-much-longer-than-people-expect/but-some-relays-have/one';
    const relays = [a.url, b.url, `ws://127.0.0.1:9/${long}`, `ws://127.0.0.1:9/another/${long}`];
    const identifier = 'a-repository-whose-name-goes-on-and-on-and-on-until-nobody-reads-it';
    const another = new SharedRepository([b, a], { owner: new Author(), identifier });
    await client.publishAll([another.announcement({ relays })]);
    client.close();
    await relayStatus(b, relays[2], ({ tone: now }) => now === 'bad');
    await relayStatus(b, relays[3], ({ tone: now }) => now === 'bad');
    try {
      for (const width of [1920, 1280, 1130, 1000, 390]) {
        await tab.setViewport({ width, height: 800 });
        await tab.goto(`${b.origin}/grasp/sync`);
        assert.deepEqual(await tab.evaluate(brokenWords), [], `${width} pixels`);
        const content = await tab.evaluate(() => document.scrollingElement.scrollWidth);
        assert.ok(content <= width, `${content} of ${width} pixels`);
      }
    } finally {
      await tab.setViewport({ width: 1280, height: 800 });
    }
  });

  it('says so when the server does not answer', async () => {
    await tab.goto(`${b.origin}/grasp/sync`);
    const isStale = () => tab.$eval('#stale', (note) => !note.hidden);
    assert.equal(await isStale(), false);
    b.child.kill('SIGSTOP');
    await until(isStale, 'the note', 30_000).finally(() => b.child.kill('SIGCONT'));
    await until(async () => !(await isStale()), 'the end of the note', 30_000);
  });

  it('is found from the start page', async () => {
    const seen = await browser.see(`${b.origin}/grasp`, 'phone');
    const link = seen.links.find(({ href }) => href === `${b.origin}/grasp/sync`);
    assert.equal(link?.text, 'Sync with other relays');
  });

  it('has a table for terminals, with an exit code', async () => {
    const url = `${b.origin}/grasp`;
    const table = await run(['status', '--url', url], { directory: b.directory });
    assert.equal(table.code, 1, table.output); // the relay that is nobody
    assert.match(table.stdout, /not reachable/);
    assert.ok(table.stdout.includes(a.url), table.stdout);
    const lines = table.stdout.split('\n');
    const titles = lines.findIndex((line) => line.startsWith('REPOSITORY'));
    const level = lines[titles].indexOf('LEVEL');
    for (const line of lines.slice(titles + 1).filter((one) => one.includes('npub1'))) {
      assert.match(line.slice(level - 2, level + 4), /^ {2}(full|stat)/, table.stdout);
    }
    const json = await run(['status', '--json', '--url', url], { directory: b.directory });
    assert.equal(JSON.parse(json.stdout).totals.in_trouble, 3);
    const away = ['status', '--url', 'http://127.0.0.1:9'];
    const nowhere = await run(away, { directory: b.directory });
    assert.equal(nowhere.code, 2, nowhere.output);
  });

  it('lets its operator retry a relay, and nobody else', async () => {
    const url = `${b.origin}/grasp`;
    const retry = (relay, options) => run(['sync', 'retry', relay, '--url', url], options);
    const done = await retry(a.url, { directory: b.directory });
    assert.deepEqual([done.code, done.stdout], [0, `done: ${a.url} is tried now\n`], done.output);
    const other = await retry('ws://127.0.0.1:9/x', { directory: b.directory });
    assert.equal(other.code, 1);
    assert.match(other.stderr, /not followed: ws:\/\/127\.0\.0\.1:9\/x/);
    const stranger = await retry(a.url, { directory: a.directory });
    assert.equal(stranger.code, 1);
    assert.match(stranger.stderr, /not authorised/);
    const unsigned = await b.get('/api/sync/retry', { method: 'POST', body: a.url });
    assert.equal(unsigned.status, 401);
  });

  it('counts per relay, and forgets what is gone', async () => {
    assert.equal(await b.metric('ngit_sync_relay_connected', { relay: a.url }), 3);
    assert.ok((await b.metric('ngit_sync_connection_attempts_total', { relay: a.url })) >= 2);
    assert.ok((await b.metric('ngit_sync_received_bytes_total', { relay: a.url })) > 0);
    assert.equal(await b.metric('ngit_sync_relays_tracked_total'), 4);
    const { body } = await b.get('/metrics');
    for (const relay of (await status()).relays) assert.ok(body.includes(`relay="${relay.url}"`));
  });
});
