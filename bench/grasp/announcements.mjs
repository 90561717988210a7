// A crowd that announces one identifier and lists each other, and people who ask and publish meanwhile.
//
//   node bench/grasp/announcements.mjs [how many, 1000]
//
// Prints the processor time of the server for each announcement: of a crowd that lists nobody, of one
// in which everybody lists 64 others, and of circles of 200; then for each event of the same crowds when
// every announcement is followed by a state of its key, and for each of a second round of states. The last
// circle has its git data here. What the server does after the last answer counts too. Beside it, how long
// others wait meanwhile.
import { readFile } from 'node:fs/promises';
import { Author, now } from '../../e2e/helpers/events.mjs';
import { until } from '../../e2e/helpers/harness.mjs';
import { Checkout, graspServer, remoteRefs, Repository } from '../../e2e/helpers/repository.mjs';

const count = Number(process.argv[2] ?? 1000);
const kCircle = 200;

async function cpuMilliseconds(server) {
  const text = await readFile(`/proc/${server.child.pid}/stat`, 'latin1');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ').map(Number);
  return (fields[11] + fields[12]) * 10;
}

// When nothing is left to do but the sweeps.
async function calm(server) {
  for (let before = -1, spent = 0; spent - before > 10; ) {
    before = await cpuMilliseconds(server);
    await new Promise((resolve) => setTimeout(resolve, 500));
    spent = await cpuMilliseconds(server);
  }
}

const show = (numbers) => {
  const all = [...numbers].sort((a, b) => a - b);
  if (all.length === 0) return 'none';
  return `median ${all[all.length >> 1].toFixed(1)} ms, worst ${all.at(-1).toFixed(1)} ms of ${all.length}`;
};

const server = await graspServer({
  NGIT_MAX_WAITING_ANNOUNCEMENTS_PER_IP: '0',
  NGIT_MAX_WAITING_ANNOUNCEMENTS: '0',
  NGIT_GIT_FETCH_ENABLED: 'false',
});
const client = await server.connect();
const innocent = await server.connect();
const authors = Array.from({ length: count }, () => new Author());
const announcement = (i, identifier, maintainers) =>
  new Repository(server, { owner: authors[i], identifier }).announcement({ maintainers });
const others = (i, from, size) =>
  Array.from({ length: Math.min(64, size - 1) }, (_, k) => authors[from + ((i - from + k + 1) % size)]);

const inCircle = (i) => others(i, i - (i % kCircle), kCircle);
// Of something that is not here.
const state = (i, identifier, round = 0) =>
  new Repository(server, { owner: authors[i], identifier }).state(
    { 'refs/heads/main': `${round}${i}`.padStart(40, 'a') },
    { created_at: now() - 600 + round },
  );

async function crowd(name, events) {
  const begin = await cpuMilliseconds(server);
  const wall = performance.now();
  const waits = [];
  let going = true;
  const meanwhile = (async () => {
    for (let i = 0; going; ++i) {
      const event = new Repository(server, { identifier: `innocent-${name}-${i}` }).announcement();
      const asked = performance.now();
      await innocent.publish(event);
      waits.push(performance.now() - asked);
    }
  })();
  let taken = 0;
  for (const event of events) taken += (await client.publish(event))[0] ? 1 : 0;
  going = false;
  await meanwhile;
  const clock = performance.now() - wall;
  await calm(server);
  const cpu = (await cpuMilliseconds(server)) - begin;
  const each = cpu / (events.length + waits.length);
  console.log(
    `${name}: ${taken} of ${events.length} accepted, ${each.toFixed(2)} ms of processor time each, ` +
      `${(clock / events.length).toFixed(2)} ms each by the clock; ` +
      `others publishing meanwhile: ${show(waits)}`,
  );
}

const kinds = { nobody: () => [], everybody: (i) => others(i, 0, count), circles: inCircle };
for (const [name, listed] of Object.entries(kinds))
  await crowd(name, authors.map((_, i) => announcement(i, name, listed(i))));
for (const [kind, listed] of Object.entries(kinds)) {
  const name = `${kind} with states`;
  await crowd(
    name,
    authors.flatMap((_, i) => [announcement(i, name, listed(i)), state(i, name)]),
  );
  await crowd(`${kind}, states again`, authors.map((_, i) => state(i, name, 1)));
}

// One push is enough for a circle: the others' repositories follow.
const circle = authors.slice(0, Math.min(kCircle, count));
const first = new Repository(server, { owner: circle[0], identifier: 'served' });
for (let i = 0; i < circle.length; ++i) await client.publish(announcement(i, 'served', others(i, 0, circle.length)));
const copy = await Checkout.create();
await copy.commit();
await first.declare(client, await copy.refs());
await copy.git('push', '--quiet', first.url, 'main');
const last = new Repository(server, { owner: circle.at(-1), identifier: 'served' });
await until(async () => (await remoteRefs(last.url).catch(() => ({}))).HEAD, 'the last copy', 120_000);
await calm(server);
await crowd('a circle that is served, states', circle.map((_, i) => state(i, 'served', 2)));
await crowd('a circle that is served, states again', circle.map((_, i) => state(i, 'served', 3)));
client.close();
innocent.close();
await server.stop();
