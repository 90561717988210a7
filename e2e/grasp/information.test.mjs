// What the information document (NIP-11) says about hosting.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as nip19 from 'nostr-tools/nip19';
import { Author } from '../helpers/events.mjs';
import { sharedHost } from '../helpers/repository.mjs';

describe('the information of a host', () => {
  const host = sharedHost();

  it('names what it does, and no curation that there is not', async () => {
    const information = await host.server.information();
    assert.ok(Array.isArray(information.supported_grasps));
    assert.ok(information.supported_grasps.includes('GRASP-01'));
    for (const name of information.supported_grasps) assert.match(name, /^GRASP-\d\d$/);
    assert.equal(typeof information.repo_acceptance_criteria, 'string');
    assert.notEqual(information.repo_acceptance_criteria, '');
    assert.equal('curation' in information, false);
    assert.ok(information.supported_nips.includes(34));
    assert.equal(information.limitation.restricted_writes, true);
  });
});

describe('the information of a host that chooses', () => {
  const npub = nip19.npubEncode(new Author().pubkey);
  const host = sharedHost({ NGIT_REPOSITORY_WHITELIST: npub, NGIT_EVENT_BLACKLIST: npub });

  it('says so', async () => {
    const information = await host.server.information();
    assert.equal(typeof information.curation, 'string');
    assert.notEqual(information.curation, '');
  });
});
