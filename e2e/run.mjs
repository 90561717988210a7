// Runs the test files of the files and folders given, or all, a few at a time: a file mostly waits
// for its server.
// (`node --test --test-concurrency` needs a newer Node than Debian 12 has.)

import { readdirSync, statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { run } from 'node:test';
import { tap } from 'node:test/reporters';
import { fileURLToPath } from 'node:url';

const kFilesAtATime = 3;

const e2e = fileURLToPath(new URL('.', import.meta.url));

function testFilesIn(folder) {
  const entries = readdirSync(folder, { withFileTypes: true });
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  return entries.flatMap((entry) => {
    if (entry.isDirectory()) {
      return entry.name === 'node_modules' ? [] : testFilesIn(join(folder, entry.name));
    }
    return entry.name.endsWith('.test.mjs') ? [join(folder, entry.name)] : [];
  });
}

const named = process.argv.slice(2).map((name) => resolve(name));
const files = (named.length > 0 ? named : [e2e]).flatMap((path) =>
  statSync(path).isDirectory() ? testFilesIn(path) : [path],
);
if (files.length === 0) throw new Error('no test file was found');

const failed = new Set();
const tests = run({ files, concurrency: kFilesAtATime });
tests.on('test:fail', ({ name, file, todo }) => {
  if (todo === undefined || todo === false) failed.add(`${relative(e2e, file ?? '')}: ${name}`);
});
tests.on('end', () => {
  for (const name of failed) console.error(`failed: ${name}`);
  if (failed.size > 0) process.exitCode = 1;
});
tests.compose(tap).pipe(process.stdout);
