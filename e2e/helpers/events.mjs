// Keys and signed events, made as a client makes them.
import { createHash, webcrypto } from 'node:crypto';
import * as slow from 'nostr-tools/pure';
import * as fast from 'nostr-tools/wasm';
import { initNostrWasm } from 'nostr-wasm';

globalThis.crypto ??= webcrypto; // Node 18 has no global one
fast.setNostrWasm(await initNostrWasm());

// The WebAssembly signer is seven times faster, but its memory is fixed.
const kFastBytes = 30_000;

export const now = () => Math.floor(Date.now() / 1000);
export const sha256 = (text) => createHash('sha256').update(text).digest('hex');
export const randomHex = (bytes) =>
  Buffer.from(webcrypto.getRandomValues(new Uint8Array(bytes))).toString('hex');
export const verified = slow.verifyEvent;

export function idOf({ pubkey, created_at, kind, tags, content }) {
  return sha256(JSON.stringify([0, pubkey, created_at, kind, tags, content]));
}

export class Author {
  constructor(secret = slow.generateSecretKey()) {
    this.secret = secret;
    this.pubkey = slow.getPublicKey(secret);
  }

  sign({ kind = 1, created_at = now(), tags = [], content = '' } = {}) {
    const template = { kind, created_at, tags, content };
    const large = content.length + JSON.stringify(tags).length > kFastBytes;
    return plain((large ? slow : fast).finalizeEvent(template, this.secret));
  }

  // `count` notes, one second apart, oldest first.
  notes(count, { from = now() - count, ...rest } = {}) {
    return Array.from({ length: count }, (_, i) =>
      this.sign({ ...rest, created_at: from + i, content: `note ${i}` }),
    );
  }

  deletion(tags, rest = {}) {
    return this.sign({ kind: 5, tags, ...rest });
  }
}

// The members NIP-01 names and no others, in its order.
export function plain({ id, pubkey, created_at, kind, tags, content, sig }) {
  return { id, pubkey, created_at, kind, tags, content, sig };
}

export const ids = (events) => events.map((event) => event.id);

// NIP-01: newer first, in the same second the lowest id first.
export function newestFirst(events) {
  return [...events].sort((a, b) => b.created_at - a.created_at || (a.id < b.id ? -1 : 1));
}

// Signs until `good` likes the event, for rules about which of two ids is the lower one.
export function signUntil(good, make) {
  for (let attempt = 0; attempt < 1000; ++attempt) {
    const event = make(attempt);
    if (good(event)) return event;
  }
  throw new Error('no event of a thousand was good');
}
