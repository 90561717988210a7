// A negentropy client (NIP-77) on the independent implementation of nostr-tools.
import { nip77 } from 'nostr-tools';

const { Negentropy, NegentropyStorageVector } = nip77;

export function setOf(events) {
  const storage = new NegentropyStorageVector();
  for (const { created_at, id } of events) storage.insert(created_at, id);
  storage.seal();
  return storage;
}
export const firstMessage = (events = []) => new Negentropy(setOf(events)).initiate();

// The ids an empty client would learn from this message.
export function setOfIds(message) {
  const needed = new Set();
  new Negentropy(setOf([])).reconcile(message, undefined, (id) => needed.add(id));
  return needed;
}

// Runs a whole reconciliation: { have, need, rounds }, or { error } when the relay refuses.
export async function reconcile(client, filter, events, { id = 'neg', frame = 60_000 } = {}) {
  const negentropy = new Negentropy(setOf(events), frame);
  const [have, need] = [new Set(), new Set()];
  client.send('NEG-OPEN', id, filter, negentropy.initiate());
  for (let rounds = 1; ; ++rounds) {
    const [verb, , text, cap] = await client.next(
      (m) => (m[0] === 'NEG-MSG' || m[0] === 'NEG-ERR') && m[1] === id,
    );
    if (verb === 'NEG-ERR') return { error: text, cap };
    const next = negentropy.reconcile(
      text,
      (one) => have.add(one),
      (one) => need.add(one),
    );
    if (next === null) {
      client.send('NEG-CLOSE', id);
      return { have, need, rounds };
    }
    client.send('NEG-MSG', id, next);
  }
}
