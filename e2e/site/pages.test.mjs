// The pages for people, in a real browser: at a desk and on a phone, with the worst of names.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { sharedBrowser } from '../helpers/browser.mjs';
import { Author } from '../helpers/events.mjs';
import { sharedServer } from '../helpers/harness.mjs';
import { Checkout, graspServer, Repository } from '../helpers/repository.mjs';

const kHostile = {
  markup: `"><script>document.title='owned'</script><img src=x onerror=alert(1)>`,
  quotes: `' onmouseover='alert(1)' " onfocus="alert(1)`,
  turned: 'invoice\u202Egnp.exe',
  arabic: 'شعار المشروع',
  emoji: '👩‍👩‍👧‍👦🚀'.repeat(6),
  long: 'W'.repeat(250),
};
const kTurning = '\u202E';

const browser = sharedBrowser();

const linked = (seen, href) => seen.links.find((link) => link.href === href);

// A repository that is called like this in every way.
function called(server, name, { created_at, tags } = {}) {
  const identifier = name.replace(/[/\\]/g, '');
  const repository = new Repository(server, { owner: new Author(), identifier });
  const draft = repository.announcement({ created_at, tags });
  draft.tags.find(([key]) => key === 'name')[1] = name;
  return { repository, announcement: repository.owner.sign(draft) };
}

describe('the page of a repository', () => {
  let server, client, repository, copy;
  before(async () => {
    server = await graspServer();
    client = await server.connect();
    repository = new Repository(server);
    copy = await repository.publish(client);
  });
  after(async () => {
    await copy?.remove();
    await server?.stop();
  });

  it('says what it is and how to get it', async () => {
    const oid = (await copy.refs())['refs/heads/main'];
    const names = `${repository.npub}/${encodeURIComponent(server.url)}/project`;
    await browser.onEveryScreen(repository.url, (seen) => {
      assert.equal(seen.title, 'A project - 127.0.0.1');
      assert.equal(seen.language, 'en');
      assert.deepEqual(seen.headings.h1, ['A project']);
      assert.deepEqual(seen.commands, [
        `git clone ${repository.url}`,
        `git clone nostr://${names}`,
      ]);
      assert.ok(seen.lines.includes(`main default ${oid}`), seen.text);
      assert.equal(linked(seen, `https://gitworkshop.dev/${names}`).rel, 'nofollow noopener');
      const owner = linked(seen, `https://gitworkshop.dev/${repository.npub}`);
      assert.equal(owner.title, repository.npub);
      assert.ok(owner.text.length < 30, owner.text);
      assert.ok(linked(seen, `${server.origin}/`));
      assert.ok(seen.links.some(({ href }) => href.startsWith('nostr:naddr1')));
    });
  });

  it('gives a clone command that works', async () => {
    const { commands } = await browser.see(`${repository.url}/`, 'desk');
    const [, , url] = commands[0].split(' ');
    assert.match(await copy.git('ls-remote', url, 'refs/heads/main'), /refs\/heads\/main$/);
  });

  it('says that git data is awaited', async () => {
    const awaited = new Repository(server);
    await client.publish(awaited.announcement());
    await browser.onEveryScreen(awaited.url, ({ text }) => {
      assert.match(text, /Waiting for git data/);
      assert.match(text, /None yet/);
    });
  });

  for (const [kind, name] of Object.entries(kHostile)) {
    it(`shows a hostile name as what it is: ${kind}`, async () => {
      const tags = [
        ['description', `${name}\n${name}`],
        ['t', name],
        ['web', name, 'javascript:alert(1)', 'https://example.org/"onclick="alert(1)'],
      ];
      const { repository: hostile, announcement } = called(server, name, { tags });
      await client.publishAll([announcement]);
      await browser.onEveryScreen(hostile.url, (seen) => {
        const harmless = name.replace(kTurning, '');
        assert.equal(seen.title, `${harmless} - 127.0.0.1`);
        assert.deepEqual(seen.headings.h1, [harmless]);
        assert.equal(seen.active, 0);
        assert.ok(!seen.html.includes(kTurning));
        for (const { href } of seen.links) assert.match(href, /^(https?:\/\/|nostr:naddr1)/);
        assert.match(seen.commands[0], /^git clone [-\w.~:/%]+$/);
      });
    });
  }

  it('lists fifty branches and counts the others', async () => {
    const many = new Repository(server, { identifier: 'many' });
    const oid = await copy.git('rev-parse', 'main');
    const names = ['main', 'x'.repeat(200), ...Array.from({ length: 60 }, (_, i) => `b${10 + i}`)];
    const refs = Object.fromEntries(names.map((name) => [`refs/heads/${name}`, oid]));
    await client.publishAll([many.announcement()]);
    await client.publishAll([many.state(refs)]);
    await copy.git('push', '--quiet', many.url, ...Object.keys(refs).map((ref) => `${oid}:${ref}`));
    await browser.onEveryScreen(many.url, ({ text }) => {
      assert.match(text, /Default branch: main/);
      assert.match(text, /and 12 more/);
    });
  });

  it('is readable in the light and in the dark', async () => {
    const grounds = new Set();
    for (const value of ['light', 'dark']) {
      await browser.tabs.desk.emulateMediaFeatures([{ name: 'prefers-color-scheme', value }]);
      for (const url of [repository.url, `${server.origin}/`]) {
        const { contrast, ground } = await browser.see(url, 'desk');
        assert.ok(contrast >= 4.5, `${value} ${url}: ${contrast}`);
        grounds.add(ground);
      }
    }
    assert.equal(grounds.size, 2);
  });

  it('is another one for what is not hosted', async () => {
    const targets = [
      new Repository(server).path,
      '/npub1nobody/x.git',
      `/${repository.npub}/%3Cscript%3Ealert(1)%3C%2Fscript%3E.git`,
      `/${repository.npub}/${'y'.repeat(240)}.git`,
    ];
    for (const target of targets) {
      const seen = await browser.see(`${server.origin}${target}`, 'phone', { status: 404 });
      assert.deepEqual(seen.headings.h1, ['No such repository'], target);
      assert.ok(linked(seen, `${server.origin}/`), target);
      assert.equal(seen.active, 0);
    }
  });

  it('allows nothing but its own style', async () => {
    for (const target of [repository.path, '/', '/nowhere', `/${repository.npub}/no.git`]) {
      const { headers } = await server.get(target);
      assert.match(headers['content-type'], /^text\/html; charset=utf-8/, target);
      const policy = headers['content-security-policy'];
      assert.match(policy, /^default-src 'none'; style-src 'sha256-/, target);
      assert.doesNotMatch(policy, /unsafe|script-src/);
      assert.equal(headers['x-content-type-options'], 'nosniff');
      assert.equal(headers['access-control-allow-origin'], '*');
    }
  });

  it('answers HEAD as GET without the body', async () => {
    const head = await server.get(repository.path, { method: 'HEAD' });
    assert.deepEqual([head.status, head.body], [200, '']);
  });

  it('is found without .git, too', async () => {
    const without = repository.path.replace(/\.git$/, '');
    for (const target of [without, `${without}/`]) {
      const { status, headers } = await server.get(target);
      assert.deepEqual([status, headers.location], [301, repository.path], target);
      assert.match(headers['cache-control'], /max-age=\d+/);
    }
    const head = await server.get(`${without}?a=b`, { method: 'HEAD' });
    assert.deepEqual([head.status, head.headers.location], [301, `${repository.path}?a=b`]);
    const seen = await browser.see(`${server.origin}${without}`, 'desk');
    assert.deepEqual(seen.headings.h1, ['A project']);
    const posted = await server.get(without, { method: 'POST' });
    assert.equal(posted.status, 404);
  });

  it('can be cloned without .git, too', async () => {
    const clone = await Checkout.clone(repository.url.replace(/\.git$/, ''));
    assert.equal(await clone.git('rev-parse', 'HEAD'), await copy.git('rev-parse', 'HEAD'));
  });

  it('is listed on the start page once it is served', async () => {
    const awaited = new Repository(server, { identifier: 'awaited' });
    await client.publish(awaited.announcement());
    await browser.onEveryScreen(`${server.origin}/`, (seen) => {
      assert.equal(seen.title, `127.0.0.1:${server.port} grasp relay`);
      assert.equal(linked(seen, repository.url).text, 'A project');
      assert.equal(linked(seen, awaited.url), undefined);
      assert.ok(seen.commands.includes(server.url));
    });
  });
});

describe('the start page', () => {
  let server;
  before(async () => {
    server = await graspServer({ NGIT_BASE_PATH: '/grasp', NGIT_RELAY_NAME: '<b>ours</b>' });
  });
  after(() => server?.stop());

  it('shows hostile names as what they are, newest first', async () => {
    const client = await server.connect();
    const copy = await new Repository(server).publish(client);
    const pages = [];
    for (const [age, name] of Object.values(kHostile).entries()) {
      const { repository, announcement } = called(server, name, { created_at: 1e9 - age });
      await client.publishAll([announcement]);
      await client.publishAll([repository.state(await copy.refs())]);
      await copy.git('push', '--quiet', repository.url, 'main');
      pages.push(repository.url);
    }
    await copy.remove();
    const names = Object.values(kHostile).map((name) => name.replace(kTurning, ''));
    await browser.onEveryScreen(`${server.origin}/grasp`, (seen) => {
      assert.equal(seen.title, '<b>ours</b>');
      assert.deepEqual(seen.cards, ['A project', ...names]);
      assert.equal(seen.active, 0);
    });
    const { links } = await browser.see(`${server.origin}/grasp`, 'desk');
    for (const [at, name] of names.entries()) {
      const { href } = links.find(({ text }) => text === name);
      assert.equal(decodeURIComponent(href), decodeURIComponent(pages[at]));
      assert.equal((await server.get(new URL(href).pathname, { raw: true })).status, 200);
    }
  });
});

describe('the start page of a plain relay', () => {
  const relay = sharedServer({ NGIT_BASE_PATH: '/grasp' });

  it('lists no repositories', async () => {
    await browser.onEveryScreen(`${relay.server.origin}/grasp`, (seen) => {
      assert.deepEqual(seen.commands, [relay.server.url]);
      assert.deepEqual(seen.headings.h2, []);
    });
  });

  it('has an icon, which the information document names', async () => {
    const { icon } = await relay.server.information();
    assert.equal(icon, `${relay.server.origin}/grasp/icon.png`);
    assert.equal((await browser.see(`${relay.server.origin}/grasp`, 'phone')).icon, icon);
    const size = await browser.tabs.phone.evaluate(async (url) => {
      const image = new Image();
      image.src = url;
      await image.decode();
      return [image.naturalWidth, image.naturalHeight];
    }, icon);
    assert.deepEqual(size, [128, 128]);
    for (const target of ['/icon.png', '/favicon.ico']) {
      const { status, headers } = await relay.server.get(target);
      assert.equal(status, 200, target);
      assert.equal(headers['content-type'], 'image/png');
      assert.equal(headers['cache-control'], 'max-age=86400');
    }
  });

  it('tells robots what is of no use to them', async () => {
    const { status, headers, body } = await relay.server.get('/robots.txt');
    assert.equal(status, 200);
    assert.equal(headers['content-type'], 'text/plain; charset=utf-8');
    assert.equal(headers['cache-control'], 'max-age=86400');
    assert.match(body, /^User-agent: \*\n/);
    assert.match(body, /^Disallow: \/grasp\/\*\.git\/info\/$/m);
    assert.doesNotMatch(body, /^Disallow: \/(grasp\/?)?$/m);
  });
});
