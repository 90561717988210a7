// git's wire format, for clients that git itself would never be.
import http from 'node:http';
import { request, within } from './harness.mjs';

export const kNone = '0'.repeat(40);
export const kFlush = Buffer.from('0000');
export const kDelimiter = Buffer.from('0001');

export function packet(content) {
  const bytes = Buffer.from(content);
  return Buffer.concat([Buffer.from((bytes.length + 4).toString(16).padStart(4, '0')), bytes]);
}

// The packets of an answer as text; null for a flush.
export function packets(bytes) {
  const found = [];
  for (let at = 0; at + 4 <= bytes.length;) {
    const size = parseInt(bytes.subarray(at, at + 4).toString('latin1'), 16);
    if (Number.isNaN(size)) throw new Error(`not a packet: ${bytes.subarray(at, at + 40)}`);
    found.push(size === 0 ? null : bytes.subarray(at + 4, at + size).toString());
    at += Math.max(size, 4);
  }
  return found;
}

const kCapabilities = ' report-status side-band-64k agent=test';

// [old, new, ref] each.
export function commandList(commands, capabilities = kCapabilities) {
  const lines = commands.map(([from, to, ref], index) =>
    packet(`${from} ${to} ${ref}${index === 0 ? `\0${capabilities}` : ''}`),
  );
  return Buffer.concat([...lines, kFlush]);
}

export function post(repository, service, body, headers = {}) {
  return request(`${repository.url}/${service}`, {
    method: 'POST',
    headers: { 'content-type': `application/x-${service}-request`, ...headers },
    body,
  });
}

// What a push is answered, line by line: ['unpack ok', 'ok refs/heads/main'].
export async function push(repository, body, headers) {
  const answer = await post(repository, 'git-receive-pack', body, headers);
  if (answer.status !== 200) return [`HTTP ${answer.status}`];
  return reportIn(Buffer.from(answer.body));
}
export function reportIn(bytes) {
  const bands = packets(bytes).filter(Boolean);
  const inBands = bands.some((text) => text.startsWith('\x01') || text.startsWith('\x02'));
  const data = bands.filter((text) => text.startsWith('\x01')).map((text) => text.slice(1));
  const report = inBands ? packets(Buffer.from(data.join(''))) : bands;
  return report.filter(Boolean).map((line) => line.trimEnd());
}

// A request whose body is sent as the test likes; `answered` is its response.
export function begin(repository, service, headers = {}) {
  const outgoing = http.request(`${repository.url}/${service}`, {
    method: 'POST',
    headers: { 'content-type': `application/x-${service}-request`, ...headers },
    agent: false,
  });
  const answered = new Promise((resolve, reject) => {
    outgoing.on('response', resolve);
    outgoing.on('error', reject);
  });
  const inTime = within(answered, () => `an answer of ${service}`);
  inTime.catch(() => {}); // not every test waits for it
  return { outgoing, answered: inTime };
}

// The beginning of a pack, `size` bytes of it, whose one blob is far longer.
export function unfinishedPack(size) {
  const kBlock = 60_000;
  const head = Buffer.from('PACK\0\0\0\x02\0\0\0\x01\xb0\x80\x80\x80\x04\x78\x01', 'latin1');
  const stored = Buffer.alloc(5 + kBlock);
  stored.writeUInt16LE(kBlock, 1);
  stored.writeUInt16LE(kBlock ^ 0xffff, 3);
  const blocks = Array(Math.ceil(size / kBlock)).fill(stored);
  return Buffer.concat([head, ...blocks]).subarray(0, size);
}
