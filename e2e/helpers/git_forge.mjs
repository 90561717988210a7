// A git server that knows nothing of Nostr, as forges are: `git http-backend` behind Node's HTTP
// server. Habits can be given to single repositories: what it answers is then up to the test.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import http from 'node:http';
import path from 'node:path';
import { removeDirectory, temporaryDirectory } from './harness.mjs';
import { Checkout } from './repository.mjs';

export class Forge {
  // `host` may be any loopback address: another one is another domain.
  static async start({ host = '127.0.0.1' } = {}) {
    const forge = new Forge();
    forge.root = await temporaryDirectory();
    forge.requests = []; // 'GET /name.git/info/refs'
    forge.habits = new Map(); // name -> (request, response) => true when it has answered
    forge.server = http.createServer((request, response) => forge.#answer(request, response));
    forge.server.listen(0, host);
    await once(forge.server, 'listening');
    forge.origin = `http://${host}:${forge.server.address().port}`;
    return forge;
  }
  async stop() {
    this.server.close();
    this.server.closeAllConnections();
    await removeDirectory(this.root);
  }

  url(name) {
    return `${this.origin}/${name}.git`;
  }
  // A bare repository that holds these refs of a working copy, with their history.
  async hold(name, checkout, refs, { anyOid = false } = {}) {
    const bare = new Checkout(path.join(this.root, `${name}.git`));
    await Checkout.create({ directory: bare.directory }).then((copy) =>
      copy.git('config', 'core.bare', 'true'),
    );
    if (anyOid) await bare.git('config', 'uploadpack.allowAnySHA1InWant', 'true');
    await this.put(name, checkout, refs);
    return this.url(name);
  }
  async put(name, checkout, refs) {
    const target = path.join(this.root, `${name}.git`, '.git');
    const specs = Object.entries(refs).map(([ref, oid]) => `+${oid}:${ref}`);
    await checkout.git('push', '--quiet', target, ...specs);
  }
  asked(name) {
    return this.requests.filter((request) => request.includes(`/${name}.git/`)).length;
  }

  #answer(request, response) {
    const { pathname, search } = new URL(request.url, this.origin);
    this.requests.push(`${request.method} ${pathname}`);
    const name = pathname.match(/^\/(.*)\.git\//)?.[1];
    if (this.habits.get(name)?.(request, response)) return;
    const backend = spawn('git', ['http-backend'], {
      env: {
        PATH: process.env.PATH,
        GIT_PROJECT_ROOT: this.root,
        GIT_HTTP_EXPORT_ALL: '1',
        GIT_CONFIG_NOSYSTEM: '1',
        HOME: this.root,
        PATH_INFO: pathname.replace('.git/', '.git/.git/'),
        QUERY_STRING: search.slice(1),
        REQUEST_METHOD: request.method,
        CONTENT_TYPE: request.headers['content-type'] ?? '',
        HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
        GIT_PROTOCOL: request.headers['git-protocol'] ?? '',
      },
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    request.pipe(backend.stdin);
    backend.stdin.on('error', () => {});
    response.on('close', () => backend.kill());
    passOn(backend.stdout, response);
  }
}

// CGI: headers, an empty line, the body.
function passOn(output, response) {
  let head = Buffer.alloc(0);
  const read = (part) => {
    head = Buffer.concat([head, part]);
    const end = head.indexOf('\r\n\r\n');
    if (end < 0) return;
    output.off('data', read);
    const headers = head.subarray(0, end).toString('latin1').split('\r\n');
    let status = 200;
    for (const [, key, value] of headers.map((line) => line.match(/^([^:]*): *(.*)$/))) {
      if (key === 'Status') status = parseInt(value);
      else response.setHeader(key, value);
    }
    response.writeHead(status);
    response.write(head.subarray(end + 4));
    output.pipe(response);
  };
  output.on('data', read);
  output.on('end', () => response.end());
}
