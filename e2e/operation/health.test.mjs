// What a container engine asks: is the server of this configuration alive?
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { run, Server } from '../helpers/harness.mjs';

it('status --health says by its exit code whether the server answers', async () => {
  const server = await Server.start({ NGIT_BASE_PATH: '/relay' });
  const settings = {
    NGIT_BIND_ADDRESS: `0.0.0.0:${server.port}`,
    NGIT_BASE_PATH: '/relay',
    NGIT_DOMAIN: 'relay.example.org',
  };
  const ask = () => run(['status', '--health'], { directory: server.directory, settings });
  const alive = await ask();
  assert.equal(alive.code, 0, alive.output);
  assert.equal(alive.output, '');
  await server.kill();
  const gone = await ask();
  assert.equal(gone.code, 1, gone.output);
  assert.match(gone.stderr, /^graspd: /);
});
