/**
 * GET /feeds/{list}.json and .atom: the changes of a list by day as a feed, free. An entry has ranges, as /api/count
 * has them, and the link that buys the changes. Nothing is stored: the entries are counted in the change feed.
 *
 * A lead that is sold leaves the change feed, its earlier changes too. So leads have one entry, for the latest
 * snapshot, without sold ones: an entry that could lose a change later would show the sale.
 */
import { z } from 'zod';
import { DAY_MS, instantOf } from '../../../lib/time.ts';
import { RangeSchema, rangeOf, type Range } from '../count/coarse.ts';
import { coarseParams, LISTS, paidQuery } from '../count/count.ts';
import { defineRoute, type Route, type RouteRequest } from '../define.ts';
import type { ListRoute } from '../list/route.ts';
import { choiceParam, readParams, readValue, type Params } from '../params.ts';
import { feedState } from './changes.ts';

/** Days with an entry. */
const DAYS = 30;
const SECOND_MS = 1000;
const KINDS = ['new', 'changed', 'gone'] as const;

/** The lists with a change feed. */
const FED = Object.entries<ListRoute>(LISTS).flatMap(([name, route]) =>
  route.changes ? [{ name, route, changes: route.changes }] : [],
);

const listParam = choiceParam(
  FED.map(({ name }) => name) as [string, ...string[]],
  `Name of a list, with the filters that it takes: ${FED.map(
    ({ name, changes }) => `${name} (${changes.filters.join(', ')})`,
  ).join(', ')}.`,
);
const params: Params = Object.fromEntries(
  Object.entries(coarseParams).filter(([name]) => FED.some(({ changes }) => changes.filters.includes(name))),
);

/** The list of a request, and the query of its paid call. @throws Problem if the list has no feed, or no such filter */
function readAsked({ path, params: given }: Pick<RouteRequest<Params>, 'path' | 'params'>) {
  const name = readValue('list', listParam, path['list'] ?? '');
  const fed = FED.find((one) => one.name === name);
  if (!fed) throw new Error(`${name} has no changes`);
  const query = paidQuery(given, fed.changes.filters, `The feed of ${name}`);
  return { ...fed, query, paidParams: readParams(fed.route.params, query) };
}
type Asked = ReturnType<typeof readAsked>;

/** The changes of one day: instants of its first and last snapshot, and a range of each kind. */
interface Day {
  readonly day: string;
  readonly first: string;
  readonly last: string;
  readonly ranges: Readonly<Record<(typeof KINDS)[number], Range>>;
}

/** The latest days with changes, the newest first. */
async function daysOf(request: RouteRequest<Params>, { changes, paidParams }: Asked, through: string): Promise<Day[]> {
  const { snapshot } = request;
  const isOfLeads = changes.list === 'leads';
  const from = isOfLeads ? through : instantOf(Date.parse(through) - DAYS * DAY_MS);
  const recent = (await changes.matching({ ...request, params: paidParams })).and('changed_at', '>=', from);
  const unsold = recent.either({ column: 'reason', is: 'absent' }, { column: 'reason', is: '<>', value: 'sold' });
  const rows = await snapshot.select(isOfLeads ? unsold : recent);
  const [at, change] = [snapshot.column('changes', 'changed_at'), snapshot.column('changes', 'change')];
  const days = Map.groupBy(rows, (row) => String(at.at(row)).slice(0, 10));
  if (isOfLeads && days.size === 0) days.set(through.slice(0, 10), []);
  return [...days]
    .map(([day, own]) => {
      const counts = change.counts(own);
      const ranges = KINDS.map((kind) => [kind, rangeOf(counts.get(kind) ?? 0, !isOfLeads)] as const);
      const instants = own.map((row) => String(at.at(row))).sort();
      const [first = through, last = through] = [instants[0], instants.at(-1)];
      return { day, first, last, ranges: Object.fromEntries(ranges) as Day['ranges'] };
    })
    .sort((a, b) => (a.day < b.day ? 1 : -1));
}

const sumOf = (ranges: readonly Range[]): Range => ({
  at_least: ranges.reduce((sum, { at_least: least }) => sum + least, 0),
  at_most: ranges.reduce((sum, { at_most: most }) => sum + most, 0),
});

const rangeText = ({ at_least: least, at_most: most }: Range): string =>
  least === most ? String(least) : `${least} to ${most}`;

/** JSON Feed 1.1. */
const JsonFeed = z.strictObject({
  version: z.literal('https://jsonfeed.org/version/1.1'),
  title: z.string(),
  home_page_url: z.url(),
  feed_url: z.url(),
  authors: z.array(z.strictObject({ name: z.string(), url: z.url() })),
  language: z.literal('en'),
  items: z.array(
    z.strictObject({
      id: z.string(),
      url: z.url().meta({ description: 'The paid call that has these changes, and later ones.' }),
      title: z.string(),
      content_text: z.string(),
      date_published: z.iso.datetime(),
      date_modified: z.iso.datetime(),
      _dealfeed: z
        .strictObject({ about: z.url(), new: RangeSchema, changed: RangeSchema, gone: RangeSchema })
        .meta({ description: 'Ranges of the matching records, as in /api/count.' }),
    }),
  ),
});
type JsonFeed = z.input<typeof JsonFeed>;

/** The feed, and the instant of its latest change. */
async function feedOf(request: RouteRequest<Params>, publicUrl: string, extension: string) {
  const asked = readAsked(request);
  const { name, route, query } = asked;
  const { changesThrough } = feedState(request.snapshot, asked.changes.list);
  const days = await daysOf(request, asked, changesThrough);
  const search = query === '' ? '' : `?${query}`;
  const filters = [...new URLSearchParams(query)].map((pair) => `, ${pair.join('=')}`).join('');
  const host = new URL(publicUrl).hostname;
  const home = `${publicUrl}/`;
  const items = days.map(({ day, first, last, ranges }, i): JsonFeed['items'][number] => {
    // The paid call has all changes since then, also those of later days.
    const cost = route.costOf(sumOf(days.slice(0, i + 1).flatMap((one) => Object.values(one.ranges))));
    const since = instantOf(Date.parse(first) - SECOND_MS);
    const texts = KINDS.map((kind) => `${rangeText(ranges[kind])} ${kind}`).join(', ');
    return {
      id: `tag:${host},2026:/feeds/${name}/${day}${search}`,
      url: `${publicUrl}${route.path}?${query === '' ? '' : `${query}&`}updated_since=${encodeURIComponent(since)}`,
      title: `${day}: ${texts}`,
      content_text: `Changes of ${name} on ${day}: ${texts}. The link buys every change since then. ${cost}`,
      date_published: first,
      date_modified: last,
      _dealfeed: { about: `${publicUrl}/openapi.json`, ...ranges },
    };
  });
  const feed: JsonFeed = {
    version: 'https://jsonfeed.org/version/1.1',
    title: `Dealfeed: changes of ${name}${filters}`,
    home_page_url: home,
    feed_url: `${publicUrl}/feeds/${name}.${extension}${search}`,
    authors: [{ name: 'Dealfeed', url: home }],
    language: 'en',
    items,
  };
  return { feed, updated: days[0]?.last ?? changesThrough };
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
const element = (name: string, text: string): string => `<${name}>${escaped(text)}</${name}>`;
const link = (rel: string, href: string): string => `<link rel="${rel}" href="${escaped(href)}"/>`;

const atomEntry = (item: JsonFeed['items'][number]): string =>
  [
    '<entry>',
    element('id', item.id),
    element('title', item.title),
    element('published', item.date_published),
    element('updated', item.date_modified),
    link('alternate', item.url),
    element('summary', item.content_text),
    '</entry>',
  ].join('\n');

/** Atom (RFC 4287). */
const atomFeed = ({ title, home_page_url: home, feed_url: self, items }: JsonFeed, updated: string): string =>
  [
    '<?xml version="1.0" encoding="utf-8"?>',
    '<feed xmlns="http://www.w3.org/2005/Atom">',
    element('id', self),
    element('title', title),
    element('updated', updated),
    `<author>${element('name', 'Dealfeed')}${element('uri', home)}</author>`,
    link('self', self),
    link('alternate', home),
    ...items.map(atomEntry),
    '</feed>\n',
  ].join('\n');

/** The feeds in both formats. */
export const feeds = ({ publicUrl }: { readonly publicUrl: string }): Route[] => {
  const shared = {
    price: null,
    params,
    pathParams: { list: listParam },
    check(request: RouteRequest<Params>) {
      readAsked(request);
    },
  } as const;
  return [
    defineRoute({
      ...shared,
      name: 'json_feed',
      path: '/feeds/:list.json',
      media: 'application/feed+json',
      about: 'Changes of a list by day for feed readers (JSON Feed 1.1): ranges, cost, and the call that buys them.',
      response: JsonFeed,
      handle: async (request) => JSON.stringify((await feedOf(request, publicUrl, 'json')).feed),
    }),
    defineRoute({
      ...shared,
      name: 'atom_feed',
      path: '/feeds/:list.atom',
      media: 'application/atom+xml',
      about: 'The same as Atom (RFC 4287).',
      response: z.string(),
      async handle(request) {
        const { feed, updated } = await feedOf(request, publicUrl, 'atom');
        return atomFeed(feed, updated);
      },
    }),
  ];
};
