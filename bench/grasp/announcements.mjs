// A crowd that announces one identifier and lists each other, and people who ask and publish meanwhile.
//
//   node bench/grasp/announcements.mjs [how many, 1000]
//
// Prints the processor time of the server for each announcement: of a crowd that lists nobody, of one
// in which everybody lists 64 others, and of circles of 200; and how long others wait meanwhile.
import { readFile } from 'node:fs/promises';
import { Author } from '../../e2e/events.mjs';
import { graspServer, Repository } from '../../e2e/repository.mjs';

const count = Number(process.argv[2] ?? 1000);
const kCircle = 200;

async function cpuMilliseconds(server) {
  const text = await readFile(`/proc/${server.child.pid}/stat`, 'latin1');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ').map(Number);
  return (fields[11] + fields[12]) * 10;
}

const show = (numbers) => {
  const all = [...numbers].sort((a, b) => a - b);
  if (all.length === 0) return 'none';
  return `median ${all[all.length >> 1].toFixed(1)} ms, worst ${all.at(-1).toFixed(1)} ms of ${all.length}`;
};

const server = await graspServer({ NGIT_MAX_WAITING_ANNOUNCEMENTS_PER_IP: '0' });
const client = await server.connect();
const innocent = await server.connect();
const authors = Array.from({ length: count }, () => new Author());
const announcement = (i, identifier, maintainers) =>
  new Repository(server, { owner: authors[i], identifier }).announcement({ maintainers });
const others = (i, from, size) =>
  Array.from({ length: Math.min(64, size - 1) }, (_, k) => authors[from + ((i - from + k + 1) % size)]);

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
  const cpu = (await cpuMilliseconds(server)) - begin;
  const each = cpu / (events.length + waits.length);
  console.log(
    `${name}: ${taken} of ${events.length} accepted, ${each.toFixed(2)} ms of processor time each, ` +
      `${((performance.now() - wall) / events.length).toFixed(2)} ms each by the clock; ` +
      `others publishing meanwhile: ${show(waits)}`,
  );
}

await crowd('nobody', authors.map((_, i) => announcement(i, 'nobody', [])));
await crowd('everybody', authors.map((_, i) => announcement(i, 'everybody', others(i, 0, count))));
await crowd(
  'circles',
  authors.map((_, i) => announcement(i, 'circles', others(i, i - (i % kCircle), kCircle))),
);
client.close();
innocent.close();
await server.stop();
