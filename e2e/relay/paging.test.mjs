// Answers that the relay's own cap cuts, and the pages a client asks for then (NIP-67).
import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { Author, ids, newestFirst } from '../helpers/events.mjs';
import { describeOnEachBackend } from '../helpers/harness.mjs';

const kT = 1_700_000_000;
const kCap = 5;

describeOnEachBackend(
  'paging',
  (shared) => {
    const author = new Author();
    // Twelve events of one second between others.
    const times = [9, 8, 7, ...Array(12).fill(6), 5, 4, 3, 2, 1, 0];
    const events = newestFirst(
      times.map((t, i) => author.sign({ created_at: kT + t, content: `${i}` })),
    );
    const everything = { authors: [author.pubkey] };
    let client;

    before(async () => {
      client = await shared.server.connect();
      await client.publishAll(events);
    });

    it('includes the whole second in which the cap falls', async () => {
      for (const filter of [everything, { ...everything, limit: 100 }]) {
        const page = await client.subscribe('page', filter);
        assert.deepEqual(ids(page.events), ids(events.slice(0, 15)));
        assert.deepEqual(page.hint, ['more']);
      }
    });

    it('keeps to the limit of the client', async () => {
      for (const limit of [1, 4, 5, 7]) {
        const page = await client.subscribe('page', { ...everything, limit });
        assert.deepEqual(ids(page.events), ids(events.slice(0, limit)));
        assert.deepEqual(page.hint, ['more']);
      }
    });

    for (const step of [0, 1])
      it(`loses nothing to a client that goes on ${step} seconds before the oldest`, async () => {
        const seen = new Set();
        let until = kT + 100;
        for (;;) {
          const page = await client.subscribe('page', { ...everything, until });
          page.events.forEach(({ id }) => seen.add(id));
          if (page.hint?.includes('finish')) break;
          const oldest = page.events.at(-1).created_at - step;
          assert.ok(oldest < until, 'every page goes further back');
          until = oldest;
        }
        assert.equal(seen.size, events.length);
      });
  },
  { NGIT_RELAY_FILTER_LIMIT: `${kCap}` },
);
