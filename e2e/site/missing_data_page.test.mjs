// What is looked for is shown: on /sync in a real browser, in /api/sync, on the page of the
// repository and in the terminal, for as long as it lasts.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { sharedBrowser } from '../helpers/browser.mjs';
import { Forge } from '../helpers/git_forge.mjs';
import { run, until } from '../helpers/harness.mjs';
import { Checkout, remoteRefs, Repository } from '../helpers/repository.mjs';
import { status, syncServer } from '../helpers/sync_servers.mjs';

const browser = sharedBrowser();

// Runs in the page.
const shownFetches = () => ({
  hidden: document.getElementById('looked-for').hidden,
  rows: [...document.getElementById('hunts').tBodies[0].rows].map((row) =>
    [...row.cells].map((cell) => cell.textContent),
  ),
});

describe('What a server looks for', () => {
  let server, forge, tab, client, repository, copy, refs, state;
  const unanswered = [];
  const fetches = () => tab.evaluate(shownFetches);
  // Until /api/sync says of the fetch what is wanted.
  const said = (wanted, what) => {
    let last;
    const found = async () => {
      last = (await status(server)).hunts.find(({ address }) => address === repository.address);
      return last && wanted(last) && last;
    };
    return until(found, () => `${what}; it said ${JSON.stringify(last)}`, 20_000);
  };

  before(async () => {
    forge = await Forge.start();
    server = await syncServer({ NGIT_GIT_FETCH_DELAY_SECS: '0' });
    client = await server.connect();
    copy = await Checkout.create();
    await copy.commit();
    refs = await copy.refs();
    // A name that would be markup anywhere else.
    repository = new Repository(server, { identifier: `<b title="'">&x` });
    const clone = [repository.url, forge.url('absent'), forge.url('slow')];
    forge.habits.set('slow', (_, response) => unanswered.push(response));
    state = repository.state(refs);
    await client.publishAll([repository.announcement({ clone }), state]);
    tab = browser.tabs.desk;
  });
  after(async () => {
    client?.close();
    await Promise.all([server?.stop(), forge?.stop()]);
  });

  it('is said to programs: for what, from where, since when, with what failure', async () => {
    const isAsking = ({ sources }) =>
      sources.some(({ failure }) => failure) && sources.some(({ busy_since }) => busy_since);
    const fetch = await said(isAsking, 'a failure and a question');
    assert.deepEqual(
      fetch.events.map(({ id, reason, missing }) => ({ id, reason, missing })),
      [{ id: state.id, reason: 'state', missing: 1 }],
    );
    assert.ok(Math.abs(fetch.since - Date.now() / 1000) < 60, `${fetch.since}`);
    const [slow, absent] = fetch.sources;
    assert.equal(slow.url, forge.url('slow'));
    assert.equal(slow.state, 'request running');
    assert.equal(absent.url, forge.url('absent'));
    assert.equal(absent.failure, 'not_found');
    assert.ok(absent.failed_at >= fetch.since);
    assert.equal(fetch.next_try, null);
    assert.equal((await status(server)).totals.hunts, 1);
  });

  it('is on the page without a script, its names as text', async () => {
    await tab.setJavaScriptEnabled(false);
    await tab.goto(`${server.origin}/sync`);
    await tab.setJavaScriptEnabled(true);
    const { hidden, rows } = await fetches();
    assert.equal(hidden, false);
    const [[name, owner, wanted, missing, since, next, from]] = rows;
    assert.equal(name, repository.identifier);
    assert.ok(owner.startsWith('npub1'), owner);
    assert.equal(wanted, `state ${state.id.slice(0, 10)}`);
    assert.equal(missing, `1 object: ${refs['refs/heads/main'].slice(0, 10)}`);
    assert.match(since, /^\d+ s ago$/);
    assert.equal(next, 'in progress');
    assert.match(from, /slow\.git: request running for \d+ s; .*absent\.git: no such/);
  });

  it('fits every screen, and browsers have nothing to complain of', async () => {
    await browser.onEveryScreen(`${server.origin}/sync`, (seen) =>
      assert.ok(seen.headings.h2.includes('Missing git data')),
    );
  });

  it('is on the page of the repository', async () => {
    const { body } = await server.get(repository.path, { raw: true });
    assert.match(body, /Searching for git data for \d+ s: <bdi>1 object: /);
    assert.match(body, /slow\.git: request running for \d+ s<\/bdi>/);
    assert.ok(!body.includes('<b title'), body);
  });

  it('is said in a terminal', async () => {
    const table = await run(['status', '--url', server.origin], { directory: server.directory });
    assert.match(table.stdout, /searching for git data of 1 repository/);
    assert.match(table.stdout, /SEARCHING FOR +OWNER +FOR +MISSING +SINCE +NEXT TRY +FROM/);
    assert.match(table.stdout, /absent\.git: no such repository/);
  });

  it('leaves the page by itself when it is found', async () => {
    await tab.goto(`${server.origin}/sync`);
    await tab.evaluate(() => (globalThis.untouched = true));
    const shows = async (pattern) => pattern.test((await fetches()).rows[0]?.at(-1) ?? '');
    await until(() => shows(/request running for \d+ s/), 'the fetch', 20_000);
    await forge.hold('absent', copy, refs);
    forge.habits.set('slow', (_, response) => response.writeHead(404).end());
    unanswered.forEach((response) => response.writeHead(404).end());
    await until(async () => (await fetches()).hidden, 'the end of the fetch', 20_000);
    assert.equal(await tab.evaluate(() => globalThis.untouched), true);
    assert.deepEqual(await remoteRefs(repository.url, '--refs'), refs);
    assert.deepEqual((await status(server)).hunts, []);
    const { body } = await server.get(repository.path, { raw: true });
    assert.ok(!body.includes('Searching for git data'), body);
  });
});
