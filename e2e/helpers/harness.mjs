// Runs the real binary in a directory of its own, and talks to it as a client does.
//
// Nothing here sleeps: every wait names what it waits for and has a deadline.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import http from 'node:http';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { after, before, describe } from 'node:test';
import { fileURLToPath } from 'node:url';
import { WebSocket } from 'ws';

// A relative GRASPD_BINARY is relative to e2e/.
const e2e = fileURLToPath(new URL('..', import.meta.url));
export const binary = path.resolve(e2e, process.env.GRASPD_BINARY ?? '../build/release/graspd');
export const kDeadline = Number(process.env.E2E_DEADLINE_MS ?? 30_000);

// --- waiting ---------------------------------------------------------------------------------

export async function within(promise, what, ms = kDeadline) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`waited ${ms} ms for ${what()}`)), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

// For facts that nobody announces: files, metrics. Returns the first truthy answer.
export async function until(condition, what, ms = kDeadline) {
  const end = Date.now() + ms;
  for (;;) {
    const answer = await condition();
    if (answer) return answer;
    if (Date.now() > end) throw new Error(`waited ${ms} ms for ${typeof what === 'function' ? what() : what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

// --- directories and processes ---------------------------------------------------------------

export async function temporaryDirectory() {
  return mkdtemp(path.join(os.tmpdir(), 'graspd-e2e-'));
}
export async function removeDirectory(directory) {
  await rm(directory, { recursive: true, force: true, maxRetries: 3 });
}
// At one stroke: a server may make it anew while it is being removed.
export async function loseDirectory(directory) {
  await rename(directory, `${directory}-lost`);
  await rm(`${directory}-lost`, { recursive: true });
}

const running = new Set();
const killAll = () => running.forEach((child) => child.kill('SIGKILL'));
process.on('exit', killAll);
// A test that failed in the middle has not stopped its servers: they must not keep the others waiting.
if (process.env.NODE_TEST_CONTEXT) after(killAll);

// The tests' own defaults: no rate limits, since most tests are not about them.
const kSettings = {
  NGIT_ACCEPT: 'open',
  NGIT_MAX_EVENTS_PER_MINUTE: '0',
  NGIT_MAX_EVENTS_PER_MINUTE_PER_IP: '0',
  NGIT_MAX_QUERIES_PER_MINUTE: '0',
  NGIT_MAX_AUTHS_PER_MINUTE: '0',
};

// How a sanitizer that the binary was built with is told what to do.
const kSanitizers = Object.fromEntries(
  ['ASAN_OPTIONS', 'LSAN_OPTIONS', 'TSAN_OPTIONS', 'UBSAN_OPTIONS'].map((name) => [
    name,
    process.env[name],
  ]),
);

function environment(directory, settings) {
  const merged = {
    ...kSanitizers,
    PATH: process.env.PATH,
    HOME: directory,
    NGIT_RELAY_DATA_PATH: path.join(directory, 'relay'),
    ...settings,
  };
  return Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== undefined));
}

const kCrashes = new Set(['SIGABRT', 'SIGSEGV', 'SIGBUS', 'SIGILL', 'SIGFPE']);

// A child process whose output is collected. A crash shows its last words.
class Process {
  constructor(command, parameters, options) {
    this.output = '';
    this.child = spawn(command, parameters, options);
    running.add(this.child);
    for (const stream of [this.child.stdout, this.child.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => (this.output += text));
    }
    this.exited = once(this.child, 'close').then(([code, signal]) => {
      running.delete(this.child);
      if (kCrashes.has(signal)) console.error(`${command} died of ${signal}:\n${this.output.slice(-2000)}`);
      return { code, signal };
    });
  }

  async exit(ms = kDeadline) {
    return within(this.exited, () => `the process to end; it said:\n${this.output}`, ms);
  }
}

// One command to its end: { code, signal, stdout, stderr, output }.
export async function run(parameters, { directory, settings = {}, input, ms } = {}) {
  const options = { cwd: directory, env: environment(directory, settings), stdio: 'pipe' };
  const process_ = new Process(binary, parameters, options);
  let stdout = '';
  let stderr = '';
  process_.child.stdout.on('data', (text) => (stdout += text));
  process_.child.stderr.on('data', (text) => (stderr += text));
  process_.child.stdin.on('error', () => {}); // it may end without reading
  process_.child.stdin.end(input ?? '');
  const result = await process_.exit(ms);
  return { ...result, stdout, stderr, output: process_.output };
}

// A listening socket for a child to inherit: its port is known before the server starts, and no
// two tests can be given the same one.
export async function listener(port = 0) {
  const socket = net.createServer();
  socket.listen(port, '127.0.0.1');
  await once(socket, 'listening');
  return { socket, fd: socket._handle.fd, port: socket.address().port };
}

// --- the server ------------------------------------------------------------------------------

export class Server extends Process {
  // `ready: false` returns at once, for servers that are expected not to start.
  static async start(settings = {}, { directory, ready = true, port: at } = {}) {
    const owned = directory === undefined;
    directory ??= await temporaryDirectory();
    const { socket, fd, port } = await listener(at);
    const defaults = {
      ...kSettings,
      NGIT_DOMAIN: `127.0.0.1:${port}`,
      NGIT_TEST: '1',
      NGIT_TEST_LISTENER_FD: '3',
    };
    const server = new Server(binary, ['serve'], {
      cwd: directory,
      env: environment(directory, { ...defaults, ...settings }),
      stdio: ['ignore', 'pipe', 'pipe', fd],
    });
    Object.assign(server, { settings, directory, owned, port });
    socket.close(); // the child has its own copy
    if (ready) await server.ready();
    return server;
  }

  get url() {
    return `ws://127.0.0.1:${this.port}${this.settings.NGIT_BASE_PATH ?? ''}`;
  }
  get origin() {
    return `http://127.0.0.1:${this.port}`;
  }

  async ready() {
    const ready = async () => (await this.get('/readyz').catch(() => null))?.status === 200;
    const gone = this.exited.then(({ code }) => {
      throw new Error(`the server ended with ${code}:\n${this.output}`);
    });
    await Promise.race([until(ready, `readiness; it said:\n${this.output}`), gone]);
  }

  // Ends it by SIGTERM; its directory goes too, unless it was given from outside.
  async stop(ms) {
    this.child.kill('SIGTERM');
    const result = await this.exit(ms).finally(() => this.child.kill('SIGKILL'));
    if (this.owned) await removeDirectory(this.directory);
    return result;
  }
  async kill() {
    this.child.kill('SIGKILL');
    return this.exit();
  }

  // A path below the mount; `raw` paths are taken as they are.
  async get(target, options = {}) {
    const base = options.raw ? '' : (this.settings.NGIT_BASE_PATH ?? '');
    return request(`${this.origin}${base}${target}`, options);
  }
  async information() {
    const response = await this.get('/', { headers: { accept: 'application/nostr+json' } });
    return JSON.parse(response.body);
  }

  // The sum of all series of this name whose labels hold `labels`.
  async metric(name, labels = {}) {
    const { body } = await this.get('/metrics');
    const wanted = Object.entries(labels).map(([key, value]) => `${key}="${value}"`);
    const lines = body
      .split('\n')
      .filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `));
    const series = lines.filter((line) => wanted.every((label) => line.includes(label)));
    if (series.length === 0) return undefined;
    return series.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
  }

  async logged(pattern) {
    return until(() => this.output.match(pattern), `the log line ${pattern}`);
  }

  async connect(options) {
    try {
      return await Client.connect(this.url, options);
    } catch (error) {
      throw new Error(`${error.message}; the server says:\n${this.output}`, { cause: error });
    }
  }
}

// One HTTP request on a connection of its own.
export function request(url, { method = 'GET', headers = {}, body } = {}) {
  const answer = new Promise((resolve, reject) => {
    const outgoing = http.request(url, { method, headers, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part) => (text += part));
      response.on('end', () =>
        resolve({ status: response.statusCode, headers: response.headers, body: text }),
      );
      response.on('error', reject);
    });
    outgoing.on('upgrade', (response, socket) => {
      socket.destroy();
      resolve({ status: response.statusCode, headers: response.headers, body: '' });
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
  return within(answer, () => `an answer to ${method} ${url}`);
}

// --- the client ------------------------------------------------------------------------------

const brief = (message) => JSON.stringify(message).slice(0, 200);

// A socket with a queue of what came. next() takes the first message that fits, now or later.
export class Client {
  static async connect(url, { headers, ...options } = {}) {
    const socket = new WebSocket(url, { perMessageDeflate: false, ...options, headers });
    const client = new Client(socket);
    const failed = once(socket, 'error').then(([error]) => {
      throw error;
    });
    failed.catch(() => {});
    await within(Promise.race([once(socket, 'open'), failed]), () => `a connection to ${url}`);
    return client;
  }

  constructor(socket) {
    this.socket = socket;
    this.queue = [];
    this.waiting = [];
    this.closing = new Promise((resolve) => {
      socket.on('close', (code, reason) => {
        const error = new Error(`the connection was closed: ${code} ${reason}`);
        this.waiting.splice(0).forEach((waiter) => waiter.reject(error));
        this.end = error;
        resolve({ code, reason: reason.toString() });
      });
    });
    socket.on('error', () => {}); // followed by 'close'
    socket.on('message', (data) => this.#arrived(JSON.parse(data.toString())));
  }

  #arrived(message) {
    const index = this.waiting.findIndex((waiter) => waiter.fits(message));
    if (index < 0) return this.queue.push(message);
    this.waiting.splice(index, 1)[0].resolve(message);
  }

  send(...message) {
    this.socket.send(JSON.stringify(message));
  }
  sendText(text) {
    this.socket.send(text);
  }
  // Several messages in one packet, as a fast client writes them.
  sendTogether(messages) {
    this.socket._socket.cork();
    messages.forEach((message) => this.send(...message));
    this.socket._socket.uncork();
  }

  // next('OK'), next('EVENT', 'sub'), next((message) => …)
  next(first, second, ms = kDeadline) {
    const fits =
      typeof first === 'function'
        ? first
        : (message) => message[0] === first && (second === undefined || message[1] === second);
    const index = this.queue.findIndex(fits);
    if (index >= 0) return Promise.resolve(this.queue.splice(index, 1)[0]);
    if (this.end) return Promise.reject(this.end);
    const arrived = new Promise((resolve, reject) => this.waiting.push({ fits, resolve, reject }));
    const what = () =>
      `${typeof first === 'function' ? first : brief([first, second])}; there is ${this.queue.map(brief)}`;
    return within(arrived, what, ms);
  }

  // Takes everything that lies in the queue and fits.
  taken(verb, about) {
    const fits = (message) => message[0] === verb && (about === undefined || message[1] === about);
    const found = this.queue.filter(fits);
    this.queue = this.queue.filter((message) => !fits(message));
    return found;
  }

  // The relay's answer as [accepted, text].
  async publish(event, ms) {
    this.send('EVENT', event);
    const [, , accepted, text] = await this.next('OK', event.id, ms);
    return [accepted, text];
  }
  // One after the other, for tests in which the order counts.
  async publishInOrder(events) {
    for (const event of events) await this.publishAll([event]);
  }
  // All at once, so that the relay may take them in any order. Throws unless all are answered OK.
  async publishAll(events) {
    events.forEach((event) => this.send('EVENT', event));
    for (const event of events) {
      const [, , accepted, text] = await this.next('OK', event.id);
      if (!accepted) throw new Error(`refused: ${text}: ${brief(event)}`);
    }
    return events;
  }

  // Subscribes and collects up to the end of what is stored. The subscription stays open.
  async subscribe(id, ...filters) {
    this.send('REQ', id, ...filters);
    return this.stored(id);
  }
  async stored(id) {
    const end = await this.next((m) => (m[0] === 'EOSE' || m[0] === 'CLOSED') && m[1] === id);
    const events = this.taken('EVENT', id).map((message) => message[2]);
    if (end[0] === 'CLOSED') return { events, closed: end[2] };
    return { events, hint: end[2] };
  }
  // What is stored, newest first.
  async query(...filters) {
    const id = `query-${(this.queries = (this.queries ?? 0) + 1)}`;
    const { events, closed } = await this.subscribe(id, ...filters);
    if (closed !== undefined) throw new Error(`CLOSED: ${closed}`);
    this.send('CLOSE', id);
    return events;
  }
  async count(...filters) {
    this.send('COUNT', 'count', ...filters);
    const answer = await this.next(
      (m) => (m[0] === 'COUNT' || m[0] === 'CLOSED') && m[1] === 'count',
    );
    return answer[2];
  }

  // Proves that the connection still works.
  async alive() {
    const { events, closed } = await this.subscribe('alive', { ids: ['0'.repeat(64)] });
    if (events.length !== 0 || closed !== undefined) throw new Error(`not alive: ${closed}`);
    this.send('CLOSE', 'alive');
  }

  async closed(ms) {
    return within(
      this.closing,
      () => `the connection to be closed; there is ${this.queue.map(brief)}`,
      ms,
    );
  }
  close() {
    this.socket.terminate();
  }
}

// --- suites ----------------------------------------------------------------------------------

// One server for all tests of the surrounding describe(); they keep apart by using their own keys.
export function sharedServer(settings = {}) {
  const shared = { connect: (options) => shared.server.connect(options) };
  before(async () => (shared.server = await Server.start(settings)));
  after(() => shared.server?.stop());
  return shared;
}

// The same behaviour is expected of every store.
export function describeOnEachBackend(title, body, settings = {}) {
  for (const backend of ['lmdb', 'memory']) {
    describe(`${title} (${backend})`, () =>
      body(sharedServer({ ...settings, NGIT_DATABASE_BACKEND: backend })),
    );
  }
}
