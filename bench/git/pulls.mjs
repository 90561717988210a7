// A crowd of pull requests that name a commit which is already there, and people who push meanwhile.
//
//   node bench/git/pulls.mjs [how many, 10000]
//
// Prints how long the crowd takes until every event is answered, how much processor time that is for
// each (the server and its git processes), and how long a state and the push of what it declares take:
// before, and meanwhile, into the same repository and into another one.
import { readFile } from 'node:fs/promises';
import { Author } from '../../e2e/helpers/events.mjs';
import { graspServer, Repository } from '../../e2e/helpers/repository.mjs';

const count = Number(process.argv[2] ?? 10_000);
const kAuthors = 200;
const kConnections = 8;
const sorted = (numbers) => [...numbers].sort((a, b) => a - b);
const show = (numbers) => {
  const all = sorted(numbers);
  if (all.length === 0) return 'none';
  return `median ${all[all.length >> 1].toFixed(0)} ms, worst ${all.at(-1).toFixed(0)} ms of ${all.length}`;
};

async function cpuSeconds(server) {
  const text = await readFile(`/proc/${server.child.pid}/stat`, 'latin1');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ').map(Number);
  return (fields[11] + fields[12] + fields[13] + fields[14]) / 100;
}

// How long the state takes until it is answered, and the push that follows.
async function pushOne(repository, copy, client) {
  await copy.commit();
  const refs = await copy.refs();
  const begin = performance.now();
  await repository.declare(client, refs);
  const declared = performance.now();
  await copy.git('push', '--quiet', repository.url, 'main');
  return { state: declared - begin, push: performance.now() - declared };
}

const server = await graspServer({
  NGIT_GIT_FETCH_ENABLED: 'false',
  NGIT_MAX_CONNECTIONS_PER_IP: '100',
});
const client = await server.connect();
const [crowded, other] = [new Repository(server), new Repository(server, { identifier: 'other' })];
const copies = [await crowded.publish(client), await other.publish(client)];
const commit = await copies[0].git('rev-parse', 'main');
const idle = [];
for (let i = 0; i < 10; ++i) idle.push(await pushOne(other, copies[1], client));

const authors = Array.from({ length: kAuthors }, () => new Author());
const events = Array.from({ length: count }, (_, i) =>
  crowded.pullRequest(commit, { by: authors[i % kAuthors], tags: [['n', `${i}`]] }),
);
const connections = [];
for (let i = 0; i < kConnections; ++i) connections.push(await server.connect());

let over = false;
const refused = [];
const times = { same: [], other: [] };
const keepPushing = async (repository, copy, into) => {
  while (!over) {
    into.push(await pushOne(repository, copy, client));
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
};
const pushing = [
  keepPushing(crowded, copies[0], times.same),
  keepPushing(other, copies[1], times.other),
];
const cpu = await cpuSeconds(server);
const begin = performance.now();
await Promise.all(
  events.map(async (event, i) => {
    const [accepted, text] = await connections[i % kConnections].publish(event, 600_000);
    if (!accepted || text !== '') refused.push(text);
  }),
);
const seconds = (performance.now() - begin) / 1000;
const used = (await cpuSeconds(server)) - cpu;
over = true;
await Promise.all(pushing);

console.log(`${count} pull requests: ${seconds.toFixed(1)} s, ${refused.length} not served ${refused[0] ?? ''}`);
console.log(`processor time: ${((used * 1000) / count).toFixed(2)} ms each, ${used.toFixed(1)} s in all`);
for (const what of ['state', 'push']) {
  const tell = (when, all) =>
    console.log(`a ${what} ${when}: ${show(all.map((one) => one[what]))}`);
  tell('before', idle);
  tell('meanwhile, another repository', times.other);
  tell('meanwhile, the same repository', times.same);
}
await server.stop();
process.exit(0);
