#include "web/sync_script.h"

namespace graspd::web {
namespace {

// The words must be those of web/sync_page.cpp: the two take turns in the same cells.
constexpr std::string_view kScript = R"JS(
'use strict';
(() => {
  const base = document.currentScript.dataset.base;
  const at = (id) => document.getElementById(id);
  const tricks = /[\u0000-\u001f\u007f\u202a-\u202e\u2066-\u2069]/g;
  const tidy = (text) => text.replace(tricks, '');
  const set = (element, property, value) => {
    if (element[property] !== value) element[property] = value;
  };

  const span = (seconds) => {
    const s = Math.max(0, seconds);
    if (s < 120) return `${s} s`;
    if (s < 7200) return `${Math.floor(s / 60)} min`;
    if (s < 172800) return `${Math.floor(s / 3600)} h`;
    return `${Math.floor(s / 86400)} d`;
  };
  const joined = (parts) => parts.filter(Boolean).join('; ');
  const some = (parts, max) => {
    const more = parts.length - max;
    return joined([...parts.slice(0, max), more > 0 && `${more} more`]) || 'none';
  };
  const lastEvent = (relay, now) =>
    joined([
      relay.last_event === null ? 'none yet' : `${span(now - relay.last_event)} ago`,
      relay.lag_seconds > 0 && `behind by ${span(relay.lag_seconds)}`,
    ]);
  const live = ({ live_filters: filters, rotating_filters: rotating }) =>
    filters + rotating === 0 ? 'none' : `${filters}${rotating > 0 ? ` + ${rotating} in turn` : ''}`;
  const pending = ({ batches }) => some(batches.map(({ progress }) => progress), 4);
  const coverage = ({ coverage: { has, all } }) =>
    all === 0 ? 'unknown' : `${Math.floor((100 * has) / all)} %`;
  const gaps = ({ missing, gaps: late }) =>
    joined([missing, late > 0 && `${late} found late`]) || 'none';

  const relayRow = (relay, now) => ({
    key: relay.url,
    cells: [
      { text: relay.url + (relay.bootstrap ? ' (bootstrap)' : '') },
      { text: relay.state, tone: relay.tone },
      { text: relay.detail },
      { text: lastEvent(relay, now) },
      { text: live(relay) },
      { text: pending(relay) },
      { text: coverage(relay) },
      { text: gaps(relay) },
    ],
  });
  const data = ({ hosted }, trouble, last, what, now) => {
    if (!hosted) return { text: 'not hosted here', tone: 'none' };
    const ago = last === null ? '' : `${span(now - last)} ago`;
    if (!trouble) return { text: ago || 'not yet', tone: 'none' };
    return { text: ago ? `${trouble} (last ${what} ${ago})` : trouble, tone: 'warn' };
  };
  const named = ({ identifier, owner }) => [
    { text: identifier, href: `${base}${owner}/${encodeURIComponent(identifier)}.git` },
    { text: `${owner.slice(0, 12)}…${owner.slice(-6)}` },
  ];
  const huntRow = (hunt, now) => ({
    key: `${hunt.address} ${hunt.wanted_for}`,
    cells: [
      ...named(hunt),
      { text: hunt.wanted_for },
      { text: hunt.missing_first },
      { text: `${span(now - hunt.since)} ago` },
      { text: hunt.next },
      { text: hunt.from },
    ],
  });
  const repositoryRow = (repository, now) => ({
    key: repository.address,
    cells: [
      ...named(repository),
      { text: repository.level === 'full' ? 'everything' : 'its state' },
      { text: String(repository.roots) },
      data(repository, repository.behind, repository.synced_at, 'synced', now),
      data(repository, repository.problem, repository.verified_at, 'verified', now),
      { text: some(repository.relays, 10) },
    ],
  });

  const newRow = (table, row) => {
    const tr = document.createElement('tr');
    tr.dataset.key = row.key;
    const titles = table.tHead.rows[0].cells;
    row.cells.forEach((cell, index) => {
      const td = tr.insertCell();
      td.dataset.label = titles[index].textContent;
      const inside = document.createElement(cell.href ? 'a' : 'bdi');
      td.append(inside);
    });
    return tr;
  };
  const fillCell = (td, { text, tone, href }) => {
    const inside = td.firstElementChild;
    set(inside, 'textContent', tidy(text));
    if (tone) set(inside, 'className', tone === 'none' ? '' : `tone ${tone}`);
    if (href && inside.getAttribute('href') !== href) inside.setAttribute('href', href);
  };
  const fill = (table, rows) => {
    const body = table.tBodies[0];
    const known = new Map([...body.rows].map((tr) => [tr.dataset.key, tr]));
    rows.forEach((row, index) => {
      const tr = known.get(row.key) ?? newRow(table, row);
      known.delete(row.key);
      row.cells.forEach((cell, column) => fillCell(tr.cells[column], cell));
      if (body.rows[index] !== tr) body.insertBefore(tr, body.rows[index] ?? null);
    });
    known.forEach((tr) => tr.remove());
    set(table, 'hidden', rows.length === 0);
    set(at(`${table.id}-none`), 'hidden', rows.length > 0);
  };

  const order = ['bad', 'warn', 'busy', 'good', 'idle'];
  const show = (sync) => {
    set(at('verdict'), 'textContent', sync.verdict);
    set(at('verdict'), 'className', `tone ${sync.tone}`);
    set(at('summary'), 'textContent', sync.summary);
    const time = new Date(sync.taken_at * 1000).toISOString();
    set(at('taken'), 'textContent', `${time.slice(0, 10)} ${time.slice(11, 19)} UTC`);
    const relays = sync.relays.sort((a, b) => order.indexOf(a.tone) - order.indexOf(b.tone));
    fill(at('relays'), relays.map((relay) => relayRow(relay, sync.taken_at)));
    const cut = (shown, total) => (shown < total ? `The first ${shown} of ${total}.` : '');
    fill(at('hunts'), sync.hunts.map((hunt) => huntRow(hunt, sync.taken_at)));
    set(at('looked-for'), 'hidden', sync.hunts.length === 0);
    set(at('hunts-cut'), 'textContent', cut(sync.hunts.length, sync.totals.hunts));
    set(at('cut'), 'textContent', cut(sync.repositories.length, sync.totals.repositories));
    fill(
      at('repositories'),
      sync.repositories.map((repository) => repositoryRow(repository, sync.taken_at)),
    );
  };

  const update = async () => {
    try {
      const signal = AbortSignal.timeout(8000);
      const address = `${base}api/sync?repositories=200`;
      const answer = await fetch(address, { cache: 'no-store', signal });
      if (!answer.ok) throw new Error(String(answer.status));
      show(await answer.json());
      set(at('stale'), 'hidden', true);
    } catch {
      set(at('stale'), 'hidden', false);
    }
    setTimeout(update, 2000);
  };
  setTimeout(update, 2000);
})();
)JS";

}  // namespace

std::string_view sync_script() { return kScript; }

}  // namespace graspd::web
