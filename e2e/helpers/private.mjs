// A private service (GRASP-08), its members, and what they sign.
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as nip19 from 'nostr-tools/nip19';
import { now } from './events.mjs';
import { Client, temporaryDirectory, until } from './harness.mjs';
import { Checkout, graspServer } from './repository.mjs';

const npubs = (members) => members.map((member) => `${nip19.npubEncode(member.pubkey)}\n`).join('');

// A server whose members are in a file, so that they can change.
export async function privateServer(members, settings = {}, options = {}) {
  const directory = options.directory ?? (await temporaryDirectory());
  const file = path.join(directory, 'members');
  await writeFile(file, npubs(members));
  const server = await graspServer(
    { NGIT_PRIVATE_MODE: 'true', GRASPD_PRIVATE_MEMBERS_FILE: file, ...settings },
    { ...options, directory },
  );
  server.owned = options.directory === undefined;
  server.membersFile = file;
  // What helpers do on a server, they do as its first member.
  server.connect = () => enter(server, members[0]);
  return server;
}

// The server hears of it by SIGHUP; returns when it counts.
export async function changeMembers(server, members) {
  const before = server.output.length;
  await writeFile(server.membersFile, npubs(members));
  server.child.kill('SIGHUP');
  const changed = () => /the private service has \d+ members/.test(server.output.slice(before));
  await until(changed, () => `a change of members; it said:\n${server.output.slice(before)}`);
}

export function answer(author, challenge, relay, { created_at } = {}) {
  const tags = [
    ['relay', relay],
    ['challenge', challenge],
  ];
  return author.sign({ kind: 22242, created_at, tags });
}

// A connection, and the server's challenge.
export async function knock(server) {
  const client = await Client.connect(server.url);
  const [, challenge] = await client.next('AUTH');
  return { client, challenge };
}
export async function authenticate(server, author, { relay = server.url, created_at } = {}) {
  const { client, challenge } = await knock(server);
  const event = answer(author, challenge, relay, { created_at });
  client.send('AUTH', event);
  const [, , accepted, text] = await client.next('OK', event.id);
  return { client, accepted, text };
}
export async function enter(server, author) {
  const { client, accepted, text } = await authenticate(server, author);
  if (!accepted) throw new Error(`not let in: ${text}`);
  return client;
}

// NIP-98 for a repository, in base64.
export function credential(author, root, { created_at = now(), method = 'GET', kind = 27235 } = {}) {
  const tags = [
    ['u', root],
    ['method', method],
  ];
  return Buffer.from(JSON.stringify(author.sign({ kind, created_at, tags }))).toString('base64');
}

// A folder in which git sends this header.
export async function checkoutWith(header, options) {
  const copy = await Checkout.create(options);
  copy.environment = {
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: 'http.extraHeader',
    GIT_CONFIG_VALUE_0: header,
  };
  return copy;
}
export async function checkoutOf(author, repository, options) {
  return checkoutWith(`Authorization: Nostr ${credential(author, repository.url)}`, options);
}

// Announced, declared and pushed by its owner, who is a member.
export async function publishPrivately(server, repository, { checkout, announcement } = {}) {
  const client = await enter(server, repository.owner);
  const copy = checkout ?? (await checkoutOf(repository.owner, repository));
  if (!checkout) await copy.commit();
  await client.publishAll([announcement ?? repository.announcement()]);
  await client.publishAll([repository.state(await copy.refs())]);
  await copy.git('push', '--quiet', repository.url, 'refs/heads/*', 'refs/tags/*');
  client.close();
  return copy;
}
