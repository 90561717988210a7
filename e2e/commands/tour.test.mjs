// The tour of the README, run as it stands there.
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { binary, removeDirectory, request, temporaryDirectory, until } from '../helpers/harness.mjs';

const execute = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));

async function tour() {
  const readme = await readFile(path.join(root, 'README.md'), 'utf8');
  const [, block] = readme.split('### The tour')[1].match(/```sh\n([\s\S]*?)```/);
  return block;
}

describe('the tour of the README', () => {
  let home, server;
  before(async () => {
    home = await temporaryDirectory();
    // As scripts/run starts it: no settings at all, and so on the port that the tour names.
    server = spawn(binary, [], { cwd: home, env: { PATH: process.env.PATH, HOME: home }, stdio: 'ignore' });
    const ready = () => request('http://127.0.0.1:7334/readyz').then((r) => r.status === 200).catch(() => false);
    await until(ready, 'the server on port 7334; is another one running there?');
  });
  after(async () => {
    server.kill('SIGTERM');
    await removeDirectory(home);
  });

  it('works as written', async () => {
    const environment = { PATH: `${path.dirname(binary)}:${process.env.PATH}`, HOME: home, TMPDIR: home };
    const script = ['set -euo pipefail', await tour()].join('\n');
    const { stdout } = await execute('bash', ['-c', script], { cwd: root, env: environment });
    assert.match(stdout, /"kind":1621/);
    assert.match(stdout, /It works/);
    const [, page] = stdout.match(/Now open (http:\S+) in a browser/);
    const shown = await request(page);
    assert.equal(shown.status, 200);
    assert.match(shown.body, /My first repository here/);
  });
});
