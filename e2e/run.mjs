// Runs the test files given, or all, a few at a time: a file mostly waits for its server.
// (`node --test --test-concurrency` needs a newer Node than Debian 12 has.)

import { readdirSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { run } from 'node:test';
import { tap } from 'node:test/reporters';
import { fileURLToPath } from 'node:url';

const kFilesAtATime = 3;

const folder = dirname(fileURLToPath(import.meta.url));

function everyFile() {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.test.mjs'))
    .sort()
    .map((name) => join(folder, name));
}

const named = process.argv.slice(2).map((name) => resolve(name));
const files = named.length > 0 ? named : everyFile();

const failed = new Set();
const tests = run({ files, concurrency: kFilesAtATime });
tests.on('test:fail', ({ name, file, todo }) => {
  if (todo === undefined || todo === false) failed.add(`${basename(file ?? '')}: ${name}`);
});
tests.on('end', () => {
  for (const name of failed) console.error(`failed: ${name}`);
  if (failed.size > 0) process.exitCode = 1;
});
tests.compose(tap).pipe(process.stdout);
