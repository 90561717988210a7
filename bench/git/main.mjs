// The git host under load, with the real git: memory of many clones and of a large push, the time of a
// clone beside nginx and git http-backend, the time of decisions.
//
//   node bench/git/main.mjs [--quick] [clone] [memory] [push] [decide] [announce]
import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import http from 'node:http';
import path from 'node:path';
import { Author, now } from '../../e2e/helpers/events.mjs';
import { listener, removeDirectory, request, temporaryDirectory, until } from '../../e2e/helpers/harness.mjs';
import { Checkout, graspServer, Repository } from '../../e2e/helpers/repository.mjs';
import { startNginx } from './nginx.mjs';

const quick = process.argv.includes('--quick');
const chosen = process.argv.slice(2).filter((word) => !word.startsWith('--'));
const wanted = (name) => chosen.length === 0 || chosen.includes(name);
const median = (numbers) => [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)];
const MiB = 1 << 20;

async function timed(work) {
  const begin = process.hrtime.bigint();
  await work();
  return Number(process.hrtime.bigint() - begin) / 1e6;
}

async function residentBytes(server) {
  const status = await readFile(`/proc/${server.child.pid}/status`, 'utf8');
  return Number(status.match(/VmRSS:\s+(\d+)/)[1]) * 1024;
}

// The most that the server's memory grows while `work` runs.
async function growth(server, work) {
  const before = await residentBytes(server);
  let most = before;
  const timer = setInterval(async () => (most = Math.max(most, await residentBytes(server))), 20);
  await work();
  clearInterval(timer);
  return Math.max(most, await residentBytes(server)) - before;
}

// A working copy with this much that does not compress, in files of 1 MiB.
async function bulky(megabytes) {
  const copy = await Checkout.create();
  for (let i = 0; i < megabytes; ++i)
    await writeFile(path.join(copy.directory, `file-${i}`), randomBytes(MiB));
  await copy.git('add', '--all');
  await copy.git('commit', '--quiet', '--message', 'bulk');
  return copy;
}

// What upload-pack sends for the whole history, read and thrown away.
function download(url, oid) {
  const line = `want ${oid} ofs-delta side-band-64k thin-pack no-progress agent=bench/1\n`;
  const want = (line.length + 4).toString(16).padStart(4, '0') + line;
  return new Promise((resolve, reject) => {
    const headers = { 'Content-Type': 'application/x-git-upload-pack-request' };
    const outgoing = http.request(`${url}/git-upload-pack`, { method: 'POST', headers, agent: false }, (response) => {
      let bytes = 0;
      response.on('data', (part) => (bytes += part.length));
      response.on('end', () => (response.statusCode === 200 ? resolve(bytes) : reject(new Error(`${response.statusCode}`))));
      response.on('error', reject);
    });
    outgoing.on('error', reject);
    outgoing.end(`${want}00000009done\n`);
  });
}

const server = await graspServer({
  NGIT_GIT_QUEUE_TIMEOUT_SECS: '600',
  NGIT_MIN_FREE_DISK_BYTES: '0',
  NGIT_RELAY_MAX_EVENT_SIZE_BYTES: '4000000', // a state of 10,000 refs
});
const client = await server.connect();
const report = (what, value) => {
  console.log(`${what.padEnd(72)} ${value}`);
};

if (wanted('clone') || wanted('memory')) {
  const size = quick ? 20 : 100;
  const repository = new Repository(server, { identifier: 'bulk' });
  const copy = await bulky(size);
  await repository.publish(client, { checkout: copy });
  const oid = await copy.git('rev-parse', 'HEAD');

  if (wanted('memory')) {
    const clones = quick ? 20 : 100;
    let bytes = 0;
    const grown = await growth(server, async () => {
      const all = await Promise.all(Array.from({ length: clones }, () => download(repository.url, oid)));
      bytes = all.reduce((sum, one) => sum + one, 0);
    });
    report(`${clones} clones of ${size} MB at once: growth of the server (< 64 MB)`, `${(grown / MiB).toFixed(1)} MB`);
    report('  sent', `${(bytes / MiB).toFixed(0)} MB`);
  }

  if (wanted('clone')) {
    const { socket, port } = await listener();
    socket.close();
    const directory = await temporaryDirectory();
    const stop = await startNginx(directory, port, server.gitDirectory);
    const plain = `http://127.0.0.1:${port}/${repository.npub}/bulk.git`;
    const clone = (url) => timed(async () => (await Checkout.clone(url, '--no-checkout')).remove());
    const ours = [];
    const theirs = [];
    try {
      await clone(plain);
      await clone(repository.url);
      for (let i = 0; i < (quick ? 3 : 9); ++i) {
        theirs.push(await clone(plain));
        ours.push(await clone(repository.url));
      }
    } finally {
      stop();
    }
    await removeDirectory(directory);
    report('a clone: ours beside nginx + git http-backend (<= 1.1)', (median(ours) / median(theirs)).toFixed(2));
    report('  medians', `${median(ours).toFixed(0)} ms, ${median(theirs).toFixed(0)} ms`);
  }
  await copy.remove();
}

if (wanted('push')) {
  const size = quick ? 100 : 1024;
  const repository = new Repository(server, { identifier: 'large' });
  const copy = await bulky(size);
  await client.publishAll([repository.announcement()]);
  await client.publishAll([repository.state(await copy.refs())]);
  const grown = await growth(server, () => copy.git('push', '--quiet', repository.url, 'main'));
  report(`a push of ${size} MB: growth of the server (< 32 MB)`, `${(grown / MiB).toFixed(1)} MB`);
  await copy.remove();
}

if (wanted('decide')) {
  const count = quick ? 1_000 : 10_000;
  const maintainers = Array.from({ length: 100 }, () => new Author());
  const repository = new Repository(server, { identifier: 'wide' });
  const copy = await Checkout.create();
  const oid = await copy.commit();
  const refs = Object.fromEntries(
    Array.from({ length: count }, (_, i) => [`refs/heads/branch-${String(i).padStart(5, '0')}`, oid]),
  );
  await client.publishAll([repository.announcement({ maintainers })]);
  await client.publishAll([repository.state({ 'refs/heads/main': oid }, { created_at: now() - 1000 })]);
  await copy.git('push', '--quiet', repository.url, 'main');
  // All objects are here: the wide state is applied without a push.
  const wide = repository.state({ 'refs/heads/main': oid, ...refs }, { created_at: now() - 900 });
  await client.publishAll([wide]);
  await client.publishAll(
    maintainers.map((by, i) =>
      repository.state({ 'refs/heads/main': String(i).padStart(40, 'a') }, { by, created_at: now() - 800 + i }),
    ),
  );
  const line = `${'0'.repeat(40)} ${'b'.repeat(40)} refs/heads/new\0 report-status side-band-64k`;
  const body = `${(line.length + 4).toString(16).padStart(4, '0')}${line}0000`;
  const push = async () => {
    const headers = { 'Content-Type': 'application/x-git-receive-pack-request' };
    const answer = await request(`${repository.url}/git-receive-pack`, { method: 'POST', headers, body });
    if (!answer.body.includes('ng refs/heads/new')) throw new Error(answer.body);
  };
  await push();
  const times = [];
  for (let i = 0; i < 20; ++i) times.push(await timed(push));
  report(`a push decided: ${count} refs, 100 waiting states, whole request (< 20 ms)`, `${median(times).toFixed(1)} ms`);
  await copy.remove();
}

if (wanted('announce')) {
  const times = [];
  for (let i = 0; i < 20; ++i) {
    const repository = new Repository(server, { identifier: `fresh-${i}` });
    const announcement = repository.announcement();
    times.push(
      await timed(async () => {
        client.send('EVENT', announcement);
        const open = async () =>
          (await request(`${repository.url}/info/refs?service=git-receive-pack`)).status === 200;
        await until(open, 'the repository');
      }),
    );
  }
  report('from announcement to a repository that takes pushes (< 50 ms)', `${median(times).toFixed(1)} ms`);
}

await client.close?.();
await server.stop();
