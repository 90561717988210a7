// Servers that follow each other, and repositories that several of them host.
import { until } from './harness.mjs';
import { Checkout, graspServer, Repository } from './repository.mjs';

// Peers of tests live on loopback addresses, which a public server does not connect to, and all on one host.
export const kFollows = { NGIT_SYNC_ALLOW_NON_GLOBAL_TARGETS: 'true', NGIT_SYNC_MAX_RELAYS_PER_HOST: '0' };

export async function syncServer(settings = {}, options = {}) {
  return graspServer({ ...kFollows, ...settings }, options);
}

// A repository that lists all of these servers.
export class SharedRepository extends Repository {
  constructor(servers, options = {}) {
    super(servers[0], options);
    this.servers = servers;
  }
  on(server) {
    return new Repository(server, this);
  }
  announcement(options = {}) {
    const hosted = this.servers.map((server) => this.on(server));
    return super.announcement({
      clone: hosted.map((at) => at.publicUrl),
      relays: hosted.map((at) => at.publicRelay),
      ...options,
    });
  }
  // Announced, declared and pushed on some of the servers that it lists.
  async publishOn(servers = this.servers, { checkout } = {}) {
    const copy = checkout ?? (await Checkout.create());
    if (!checkout) await copy.commit();
    const announcement = this.announcement();
    const state = this.state(await copy.refs());
    for (const server of servers) {
      const client = await server.connect();
      await client.publishAll([announcement, state]);
      await copy.git('push', '--quiet', this.on(server).url, 'refs/heads/*', 'refs/tags/*');
      client.close();
    }
    return copy;
  }
  issue(author, { tags = [], kind = 1621, content = 'an issue', created_at } = {}) {
    return author.sign({ kind, created_at, content, tags: [['a', this.address], ...tags] });
  }
}

export async function has(server, ...events) {
  const client = await server.connect();
  const found = await client.query({ ids: events.map((event) => event.id) });
  client.close();
  return found.length === events.length;
}

// Until the server holds all of these events.
export async function holds(server, events, ms) {
  const client = await server.connect();
  const ids = events.map((event) => event.id);
  const all = async () => {
    let count = 0;
    for (let at = 0; at < ids.length; at += 400) {
      count += (await client.query({ ids: ids.slice(at, at + 400) })).length;
    }
    return count === ids.length;
  };
  await until(all, `${ids.length} events on ${server.url}`, ms);
  client.close();
}

export async function status(server) {
  return JSON.parse((await server.get('/api/sync')).body);
}

// Until the server says of this relay what `holds` wants to hear.
export async function relayStatus(server, url, wanted = () => true, ms) {
  let last;
  const found = async () => {
    last = (await status(server)).relays.find((relay) => relay.url === url);
    return last && wanted(last);
  };
  await until(found, () => `the wanted state of ${url}; it was ${JSON.stringify(last)}`, ms);
  return last;
}
