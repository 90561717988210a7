// Crowds of announcements of one name that list each other: they cost what others cost.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { before, describe, it } from 'node:test';
import { Author } from '../helpers/events.mjs';
import { Repository, sharedHost } from '../helpers/repository.mjs';

const kCrowd = 1000;

// Of the server alone, in clock ticks: others on this machine do not count.
async function cpuTicks(server) {
  const fields = (await readFile(`/proc/${server.child.pid}/stat`, 'latin1')).split(') ')[1].split(' ');
  return Number(fields[11]) + Number(fields[12]);
}

describe('a crowd that lists itself', () => {
  const host = sharedHost({ NGIT_MAX_WAITING_ANNOUNCEMENTS_PER_IP: '0' }); // all from one address
  let authors;
  before(() => {
    authors = Array.from({ length: kCrowd }, () => new Author());
  });
  const announcement = (i, identifier, maintainers) =>
    new Repository(host.server, { owner: authors[i], identifier }).announcement({ maintainers });
  // What they cost, and how many were taken.
  const publish = async (events) => {
    const began = await cpuTicks(host.server);
    let taken = 0;
    for (const event of events) taken += (await host.client.publish(event))[0] ? 1 : 0;
    return { ticks: (await cpuTicks(host.server)) - began, taken };
  };
  const others = (i, from, count) =>
    Array.from({ length: 64 }, (_, k) => authors[from + ((i - from + k + 1) % count)]);

  it('is refused beyond its bounds, with words', async () => {
    const [first, text] = await host.client.publish(announcement(0, 'many', authors.slice(1, 66)));
    assert.equal(first, false);
    assert.match(text, /lists 65 maintainers, this server takes at most 64/);
    const chain = authors.slice(0, 5).map((_, i) =>
      announcement(i, 'chain', authors.slice(64 * i + 1, 64 * i + 65)),
    );
    // 65 members each. That the first lists the others, who come later, is not their fault.
    for (const event of chain) assert.equal((await host.client.publish(event))[0], true);
    const hub = announcement(999, 'chain', [...authors.slice(0, 5), ...authors.slice(330, 389)]);
    const [accepted, words] = await host.client.publish(hub);
    assert.equal(accepted, false);
    assert.match(words, /would have more than 256 maintainers/);
  });

  it('costs about as much as as many that list nobody', async () => {
    const alone = await publish(authors.map((_, i) => announcement(i, 'alone', [])));
    assert.equal(alone.taken, kCrowd);
    const everybody = await publish(authors.map((_, i) => announcement(i, 'all', others(i, 0, kCrowd))));
    assert.ok(everybody.taken > 0 && everybody.taken < kCrowd);
    // In circles of 200, which are as large as they may be.
    const circles = await publish(
      authors.map((_, i) => announcement(i, 'circles', others(i, i - (i % 200), 200))),
    );
    assert.equal(circles.taken, kCrowd);
    const told = JSON.stringify({ alone, everybody, circles });
    assert.ok(everybody.ticks < 3 * alone.ticks + 100, told);
    assert.ok(circles.ticks < 3 * alone.ticks + 100, told);
  });
});
