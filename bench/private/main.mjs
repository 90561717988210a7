// What a private service (GRASP-08) with a thousand members costs: a git request and a message of a
// member beside those of a public server, and strangers who only open sockets.
//
//   node bench/private/main.mjs [--quick]
import { readFile } from 'node:fs/promises';
import http from 'node:http';
import { Author } from '../../e2e/helpers/events.mjs';
import { Client } from '../../e2e/helpers/harness.mjs';
import { credential, enter, privateServer } from '../../e2e/helpers/private.mjs';
import { graspServer, Repository } from '../../e2e/helpers/repository.mjs';

const quick = process.argv.includes('--quick');
const kMembers = 1_000;
const kRounds = quick ? 1_000 : 10_000;
const kStrangersPerSecond = 100;
const kStrangerSeconds = quick ? 5 : 20;
const kTick = 10; // milliseconds, of /proc

// Processor time of the server itself, in milliseconds.
async function cpu(server) {
  const text = await readFile(`/proc/${server.child.pid}/stat`, 'utf8');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * kTick;
}
async function costOf(server, work) {
  const before = await cpu(server);
  await work();
  return (await cpu(server)) - before;
}

// One request after the other over one connection; HEAD starts no git process.
async function heads(url, headers) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  for (let i = 0; i < kRounds; ++i) {
    await new Promise((resolve, reject) => {
      const outgoing = http.request(url, { method: 'HEAD', headers, agent }, (response) => {
        if (response.statusCode !== 200) reject(new Error(`${response.statusCode}`));
        response.resume().on('end', resolve);
      });
      outgoing.on('error', reject);
      outgoing.end();
    });
  }
  agent.destroy();
}
async function messages(client) {
  for (let i = 0; i < kRounds; ++i) await client.count({ ids: ['0'.repeat(64)] });
}

async function announced(server, owner, client) {
  const repository = new Repository(server, { owner });
  await client.publishAll([repository.announcement()]);
  return `${repository.url}/info/refs?service=git-upload-pack`;
}

const each = (milliseconds) => `${((milliseconds / kRounds) * 1000).toFixed(0)} µs`;

const owner = new Author();
const members = [owner, ...Array.from({ length: kMembers - 1 }, () => new Author())];
const open = await graspServer();
const closed = await privateServer(members);
const [outside, inside] = [await open.connect(), await enter(closed, owner)];
const openUrl = await announced(open, owner, outside);
const closedUrl = await announced(closed, owner, inside);
const root = closedUrl.slice(0, closedUrl.indexOf('.git') + 4);
const authorization = `Nostr ${credential(owner, root)}`;

for (let turn = 0; turn < 2; ++turn) {
  const plain = await costOf(open, () => heads(openUrl, {}));
  const signed = await costOf(closed, () => heads(closedUrl, { authorization }));
  console.log(`git request: public ${each(plain)}, private ${each(signed)}, more ${each(signed - plain)}`);
  const free = await costOf(open, () => messages(outside));
  const gated = await costOf(closed, () => messages(inside));
  console.log(`message: public ${each(free)}, private ${each(gated)}, more ${each(gated - free)}`);
}

// Strangers open sockets, ask for everything, and go.
const strangers = await costOf(closed, async () => {
  for (let i = 0; i < kStrangersPerSecond * kStrangerSeconds; ++i) {
    const at = Date.now();
    Client.connect(closed.url).then(async (client) => {
      client.send('REQ', 'all', {});
      await client.next('CLOSED');
      client.close();
    });
    await new Promise((resolve) => setTimeout(resolve, 1000 / kStrangersPerSecond - (Date.now() - at)));
  }
});
console.log(`${kStrangersPerSecond} strangers a second: ${(strangers / kStrangerSeconds / 10).toFixed(1)} % of a core`);
await Client.connect(closed.url).then((client) => client.close()); // still there
outside.close();
inside.close();
await Promise.all([open.stop(), closed.stop()]);
