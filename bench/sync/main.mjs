// Proactive sync between real servers: first sync, re-sync, live, five hundred quiet relays, and a new
// server that gets everything of another, git data included.
//
//   node bench/sync/main.mjs [--quick] [first] [live] [idle] [mirror]
import { execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import http from 'node:http';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { WebSocketServer } from '../../e2e/node_modules/ws/wrapper.mjs';
import { Author, now } from '../../e2e/helpers/events.mjs';
import { binary, removeDirectory, run, Server, temporaryDirectory, until } from '../../e2e/helpers/harness.mjs';
import { remoteRefs, Repository } from '../../e2e/helpers/repository.mjs';
import { relayStatus, SharedRepository, status, syncServer } from '../../e2e/helpers/sync_servers.mjs';

const quick = process.argv.includes('--quick');
const chosen = process.argv.slice(2).filter((word) => !word.startsWith('--'));
const wanted = (name) => chosen.length === 0 || chosen.includes(name);
const here = path.dirname(fileURLToPath(import.meta.url));
const tools = path.resolve(here, process.env.GRASPD_BENCH ?? '../../build/release/bench');
const report = (what, value) => console.log(`${what.padEnd(64)} ${value}`);
const percentile = (numbers, share) =>
  [...numbers].sort((a, b) => a - b)[Math.min(numbers.length - 1, Math.floor(numbers.length * share))];
const kFew = { NGIT_MAX_EVENTS_PER_MINUTE: '0', NGIT_MAX_EVENTS_PER_MINUTE_PER_IP: '0' };

async function processFigures(server) {
  const [statusText, stat] = await Promise.all(
    ['status', 'stat'].map((file) => readFile(`/proc/${server.child.pid}/${file}`, 'utf8')),
  );
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return {
    bytes: Number(statusText.match(/VmRSS:\s+(\d+)/)[1]) * 1024,
    seconds: (Number(fields[11]) + Number(fields[12])) / 100,
  };
}

async function stored(server) {
  return (await server.metric('ngit_events_stored_total')) ?? 0;
}

// --- first sync and re-sync ------------------------------------------------------------------

async function writeThreads(file, address, count) {
  const out = createWriteStream(file);
  const child = spawn(path.join(tools, 'graspd_threads'), [address, `${count}`, `${now()}`]);
  child.stdout.pipe(out);
  await new Promise((resolve, reject) => out.on('finish', resolve).on('error', reject));
}

// How fast clients can publish the same events to a server like the follower, which hosts the
// repository they belong to: graspd_load gives a server an empty folder, so it is filled first.
async function likeTheFollower(directory, ready, domain) {
  const file = path.join(directory, 'follower');
  const lines = [
    '#!/bin/sh',
    'home=$(dirname "$NGIT_RELAY_DATA_PATH")',
    `cp -r "${ready}/." "$home"`,
    `cd "$home" && NGIT_ACCEPT=grasp NGIT_DOMAIN=${domain} exec "${binary}" "$@"`,
  ];
  await writeFile(file, lines.join('\n'), { mode: 0o755 });
  return file;
}

function ingestRate(server, corpus, count) {
  const parameters = [`--server=${server}`, `--corpus=${corpus}`, `--ingest-events=${count}`, '--repetitions=1', 'ingest'];
  const output = execFileSync(path.join(tools, 'graspd_load'), parameters, { encoding: 'utf8' });
  const rates = [...output.matchAll(/"8 conn.: new events","value":([\d.]+)/g)].map((m) => Number(m[1]));
  return { output, rate: Math.max(...rates) };
}

async function count(server, filter) {
  const client = await server.connect();
  const { count: found } = await client.count(filter);
  client.close();
  return found;
}

async function settled(server, url) {
  return relayStatus(server, url, (relay) => relay.link === 'connected' && relay.batches.length === 0, 600_000);
}

if (wanted('first')) {
  const events = quick ? 20_000 : 100_000;
  const directory = await temporaryDirectory();
  const source = await Server.start({ NGIT_ACCEPT: 'open', ...kFew }, { directory });
  let follower = await syncServer({ NGIT_SYNC_BATCH_WINDOW_MS: '1000' });
  const repository = new Repository(follower);
  const corpus = path.join(directory, 'threads.jsonl');
  await writeThreads(corpus, repository.address, events);
  const { port } = source;
  source.owned = false;
  await source.stop();
  await run(['import', corpus], { directory, settings: { NGIT_ACCEPT: 'open' }, ms: 600_000 });
  const again = await Server.start({ NGIT_ACCEPT: 'open', ...kFew }, { directory, port });
  const all = { kinds: [1111, 1621] };
  if ((await count(again, all)) !== events) throw new Error('the source is not complete');

  const checkout = await repository.publish(await follower.connect()); // served before it is followed
  const [folder, at] = [follower.directory, follower.port];
  follower.owned = false;
  await follower.stop();
  const ready = path.join(directory, 'ready');
  execFileSync('cp', ['-r', folder, ready]);
  follower = await syncServer({ NGIT_SYNC_BATCH_WINDOW_MS: '1000' }, { directory: folder, port: at });
  const client = await follower.connect();
  const before = await processFigures(follower);
  const announcement = repository.announcement({ relays: [follower.url, again.url], created_at: now() + 1 });
  await client.publishAll([announcement]);
  const begun = { at: 0 };
  const had = await stored(follower);
  await until(async () => (await stored(follower)) > had, 'the first events', 60_000);
  begun.at = Date.now();
  const first = (await stored(follower)) - had;
  // Seldom, because looking costs the follower time as well.
  for (; (await stored(follower)) - had < events; ) await new Promise((resolve) => setTimeout(resolve, 100));
  const seconds = (Date.now() - begun.at) / 1000;
  const rate = (events - first) / seconds;
  report(`first sync of ${events} events`, `${seconds.toFixed(2)} s, ${Math.round(rate)} events/s`);
  const figures = await processFigures(follower);
  report('  memory of the follower grew by', `${((figures.bytes - before.bytes) / 2 ** 20).toFixed(1)} MiB`);
  report('  processor of the follower', `${(((figures.seconds - before.seconds) * 1e6) / events).toFixed(1)} us/event`);
  const { output, rate: own } = ingestRate(
    await likeTheFollower(directory, ready, `127.0.0.1:${at}`), corpus, events,
  );
  report('  its own ingest rate', `${own} events/s; sync reaches ${((100 * rate) / own).toFixed(0)} %`);
  if (process.argv.includes('--verbose')) console.log(output);

  // Nothing is missing.
  await settled(follower, again.url);
  follower.owned = false;
  await follower.stop();
  follower = await syncServer({ NGIT_SYNC_BATCH_WINDOW_MS: '1000' }, { directory: folder, port: at });
  const start = Date.now();
  const relay = await relayStatus(follower, again.url, (one) => one.historic_completed_at, 60_000);
  report('re-sync with nothing missing', `${((Date.now() - start) / 1000).toFixed(2)} s, ${((relay.bytes_in + relay.bytes_out) / 1024).toFixed(0)} KiB`);

  // One per cent is missing.
  await settled(follower, again.url);
  follower.owned = false;
  await follower.stop();
  const missing = events / 100;
  const author = new Author();
  const writer = await again.connect();
  let payload = 0;
  for (let i = 0; i < missing; ++i) {
    const event = author.sign({ kind: 1111, content: 'x'.repeat(400), tags: [['A', repository.address]], created_at: now() - i * 60 });
    payload += JSON.stringify(event).length;
    await writer.publishAll([event]);
  }
  follower = await syncServer({ NGIT_SYNC_BATCH_WINDOW_MS: '1000' }, { directory: folder, port: at });
  await until(async () => (await count(follower, all)) === events + missing, 'the missing events', 60_000);
  const caught = await settled(follower, again.url);
  const bytes = caught.bytes_in + caught.bytes_out;
  report(`re-sync with ${missing} missing`, `${(bytes / 1024).toFixed(0)} KiB, ${(bytes / payload).toFixed(2)} x their payload`);
  await Promise.all([follower.stop(), again.stop()]);
  await removeDirectory(folder);
  await removeDirectory(directory);
  await checkout.remove();
}

// --- live --------------------------------------------------------------------------------------

if (wanted('live')) {
  const kDefault = { NGIT_SYNC_BATCH_WINDOW_MS: '5000', ...kFew };
  const [a, b] = await Promise.all([syncServer(kDefault), syncServer(kDefault)]);
  const repository = new SharedRepository([a, b]);
  const author = new Author();
  const checkout = await repository.publishOn([a]);
  const writer = await a.connect();
  const issue = repository.issue(author);
  await writer.publishAll([issue]);
  const reader = await b.connect();
  await reader.subscribe('new', { kinds: [1621, 1111], limit: 0 });
  const begin = Date.now();
  await repository.publishOn([b], { checkout });
  const announced = Date.now();
  await reader.next((m) => m[0] === 'EVENT' && m[2].id === issue.id, undefined, 30_000);
  report('announcement to its issues, batch window 5 s', `${((Date.now() - begin) / 1000).toFixed(2)} s (${((Date.now() - announced) / 1000).toFixed(2)} s after the push)`);
  const times = [];
  for (let i = 0; i < (quick ? 100 : 1000); ++i) {
    const event = author.sign({ kind: 1111, content: `${i}`, tags: [['A', repository.address]] });
    const sent = process.hrtime.bigint();
    writer.send('EVENT', event);
    await reader.next((m) => m[0] === 'EVENT' && m[2].id === event.id);
    times.push(Number(process.hrtime.bigint() - sent) / 1e6);
  }
  report('live, published on A to served on B', `median ${percentile(times, 0.5).toFixed(1)} ms, p99 ${percentile(times, 0.99).toFixed(1)} ms`);
  await Promise.all([a.stop(), b.stop()]);
  await checkout.remove();
}

// --- five hundred quiet relays -------------------------------------------------------------------

if (wanted('idle')) {
  const relays = quick ? 100 : 500;
  // One process that is a different relay under every path, and says nothing but EOSE.
  const site = http.createServer((_, response) => response.end(JSON.stringify({ supported_nips: [1, 11] })));
  const sockets = new WebSocketServer({ server: site });
  sockets.on('connection', (socket) =>
    socket.on('message', (data) => {
      const [verb, name] = JSON.parse(data.toString());
      if (verb === 'REQ') socket.send(JSON.stringify(['EOSE', name]));
    }),
  );
  await new Promise((resolve) => site.listen(0, '127.0.0.1', resolve));
  const { port } = site.address();
  const follower = await syncServer({ NGIT_SYNC_ALLOW_NON_GLOBAL_TARGETS: 'true', NGIT_TEST: '1' });
  const client = await follower.connect();
  const before = await processFigures(follower);
  for (let at = 0; at < relays; at += 100) {
    const repository = new Repository(follower, { identifier: `project-${at}` });
    const urls = Array.from({ length: Math.min(100, relays - at) }, (_, i) => `ws://127.0.0.1:${port}/relay-${at + i}`);
    await client.publishAll([repository.announcement({ relays: [follower.url, ...urls] })]);
  }
  const all = async () => (await status(follower)).relays.filter((r) => r.link === 'connected').length === relays;
  await until(all, `${relays} relays to be connected`, 300_000);
  const begin = await processFigures(follower);
  const seconds = quick ? 10 : 60;
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  const end = await processFigures(follower);
  report(`${relays} quiet relays, memory of each`, `${((end.bytes - before.bytes) / relays / 1024).toFixed(1)} KiB`);
  report(`${relays} quiet relays, share of one core`, `${((100 * (end.seconds - begin.seconds)) / seconds).toFixed(2)} %`);
  await follower.stop();
  sockets.clients.forEach((socket) => socket.terminate());
  site.close();
}

// --- a new server ------------------------------------------------------------------------------

// A repository of 20 branches and one megabyte, in one go: what is measured is not making it.
function fastImport(i) {
  const data = randomBytes(1 << 20);
  const who = `somebody <somebody@example.org> ${1_700_000_000 + i} +0000`;
  const text = (words) => `data ${Buffer.byteLength(words)}\n${words}\n`;
  const parts = [`blob\nmark :1\ndata ${data.length}\n`, data, '\n'];
  for (let branch = 0; branch < 20; ++branch) {
    const name = branch === 0 ? 'master' : `branch-${branch}`;
    const content = branch === 0 ? 'M 100644 :1 bulk\n' : `M 100644 inline part-${branch}\n${text(`${i}`)}`;
    const from = branch === 0 ? '' : `from :${branch + 1}\n`;
    const message = text(`commit ${branch} of ${i}`);
    parts.push(`commit refs/heads/${name}\nmark :${branch + 2}\ncommitter ${who}\n${message}${from}${content}\n`);
  }
  return Buffer.concat(parts.map((part) => Buffer.from(part)));
}

function makeSource(folder, i) {
  const git = (parameters, options = {}) => execFileSync('git', ['-C', folder, ...parameters], { encoding: 'utf8', ...options });
  git(['init', '--quiet', '--bare', '--initial-branch=master']);
  git(['fast-import', '--quiet'], { input: fastImport(i) });
  const lines = git(['for-each-ref', '--format=%(refname) %(objectname)']).trim().split('\n');
  return Object.fromEntries(lines.map((line) => line.split(' ')));
}

// Every process below the server.
async function children(pid) {
  const found = [];
  for (const task of await readdir(`/proc/${pid}/task`).catch(() => [])) {
    const list = await readFile(`/proc/${pid}/task/${task}/children`, 'utf8').catch(() => '');
    found.push(...list.trim().split(' ').filter(Boolean).map(Number));
  }
  return found;
}

async function isAlive(pid) {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return stat !== '' && !stat.slice(stat.lastIndexOf(')')).startsWith(') Z');
}

if (wanted('mirror')) {
  const count_ = quick ? 20 : 200;
  const [a, b] = await Promise.all([syncServer(kFew), syncServer(kFew)]);
  const at = b.port;
  const folder = b.directory;
  b.owned = false;
  await b.stop();
  const client = await a.connect();
  const repositories = [];
  for (let i = 0; i < count_; ++i) {
    const source = await temporaryDirectory();
    const refs = makeSource(source, i);
    const repository = new SharedRepository([a, { ...b, settings: b.settings, url: b.url, origin: b.origin }], { identifier: `project-${i}` });
    await client.publishAll([repository.announcement()]);
    await client.publishAll([repository.state(refs)]);
    execFileSync('git', ['-C', source, 'push', '--quiet', repository.url, 'refs/heads/*']);
    repositories.push([repository, refs]);
    await removeDirectory(source);
  }
  const begin = Date.now();
  for (const [repository] of repositories) {
    const mirror = await temporaryDirectory();
    execFileSync('git', ['clone', '--quiet', '--mirror', repository.url, mirror]);
    await removeDirectory(mirror);
  }
  const clones = (Date.now() - begin) / 1000;

  // Loopback is one domain, whose pace is for the servers of others.
  const concurrency = 4;
  const pace = { NGIT_GIT_FETCH_PER_DOMAIN_PER_MINUTE: '0', NGIT_GIT_FETCH_CONCURRENCY: `${concurrency}` };
  const started = Date.now();
  const fresh = await syncServer({ ...kFew, ...pace, NGIT_SYNC_BOOTSTRAP_RELAY_URL: a.url }, { directory: folder, port: at });
  const { pid } = fresh.child;
  const seen = new Set();
  let most = 0;
  let mirrored;
  const isVerified = async () => {
    (await children(pid)).forEach((child) => seen.add(child));
    most = Math.max(most, (await fresh.metric('ngit_git_fetch_running')) ?? 0);
    const { synced, verified } = (await status(fresh)).totals;
    if (synced === count_) mirrored ??= (Date.now() - started) / 1000;
    return verified === count_ && synced === count_;
  };
  await until(isVerified, 'all repositories to be verified', 600_000);
  const verified = (Date.now() - started) / 1000;
  const states = await (await fresh.connect()).query({ kinds: [30618], limit: count_ });
  if (states.length !== count_) throw new Error(`${states.length} states are there`);
  if (most > concurrency) throw new Error(`${most} commands ran at once`);
  for (const [repository, refs] of repositories) {
    const found = await remoteRefs(repository.on(fresh).url, '--refs');
    if (JSON.stringify(found) !== JSON.stringify(refs)) throw new Error('a mirror is not complete');
  }
  await Promise.all([a.stop(), fresh.stop()]);
  const left = [];
  for (const child of seen) if (await isAlive(child)) left.push(child);
  if (left.length > 0) throw new Error(`processes are left: ${left}`);
  await removeDirectory(folder);
  report(`${count_} repositories, cloned one after the other`, `${clones.toFixed(1)} s`);
  report(`${count_} repositories, a new server that follows: synced`, `${mirrored.toFixed(1)} s, ${(mirrored / clones).toFixed(2)} x`);
  report(`${count_} repositories, a new server that follows: verified`, `${verified.toFixed(1)} s, ${(verified / clones).toFixed(2)} x`);
  report('  git commands to the source at once, most; allowed', `${most}; ${concurrency}`);
}
process.exit(0);
