/** HUD's API: what is asked for, in which order, and what becomes of its refusals. */
import { describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { SourceUnavailable } from '../../sources/contract.ts';
import hud from '../../sources/fmr/hud_fmr/source.ts';
import safmr from '../../sources/fmr/hud_safmr/source.ts';
import { quarantined, readFrom, type Answer } from './site_double.ts';

const TOKEN = { HUD_TOKEN: 'a-token' };
const states = JSON.stringify([
  { state_name: 'Guam', state_code: 'GU' },
  { state_name: 'Ohio', state_code: 'OH' },
  { state_name: 'Texas', state_code: 'TX' },
]);
const data = (...areas: { code: string; smallarea_status: string | number }[]): string =>
  JSON.stringify({
    data: { year: '2026', metroareas: areas.map((area) => ({ name: area.code, ...area })), counties: [] },
  });

/** An API of some routes, each by its path after /fmr/ and its query. */
const api =
  (routes: Readonly<Record<string, Answer>>) =>
  ({ pathname, search }: URL): Answer =>
    routes[`${pathname.replace('/hudapi/public/fmr/', '')}${search}`];
const routesOf = (asked: readonly string[]): string[] =>
  asked.map((url) => url.replace('https://www.huduser.gov/hudapi/public/fmr/', ''));

describe('with a token', () => {
  test('each listed state is read, of the newest year; a state without data is skipped', async () => {
    const { asked, pages } = await readFrom(
      hud,
      api({ listStates: states, 'statedata/OH?year=2026': data(), 'statedata/TX?year=2026': data() }),
      '2026-11-20',
      TOKEN,
    );
    assert.deepEqual(routesOf(asked), [
      'listStates',
      'statedata/GU?year=2027',
      'statedata/GU?year=2026',
      'statedata/OH?year=2027',
      'statedata/OH?year=2026',
      'statedata/TX?year=2026',
      // The list of years, because these rents are of a year that is over.
      'https://www.huduser.gov/portal/datasets/fmr.html',
    ]);
    assert.deepEqual(
      pages.map((p) => [p.kind, p.context['state']]),
      [
        ['statedata', 'OH'],
        ['statedata', 'TX'],
      ],
    );
  });

  test('the list of states may be in an envelope, and must contain states', async () => {
    const enveloped = await readFrom(
      hud,
      api({ listStates: `{"data":${states}}`, 'statedata/TX?year=2027': data() }),
      '2026-11-20',
      TOKEN,
    );
    assert.equal(enveloped.pages.length, 1);
    await assert.rejects(
      readFrom(hud, api({ listStates: '[]' }), '2026-11-20', TOKEN),
      quarantined('template_changed'),
    );
    await assert.rejects(
      readFrom(hud, api({ listStates: '[{"state_name":"Ohio"}]' }), '2026-11-20', TOKEN),
      quarantined('template_changed'),
    );
    await assert.rejects(
      readFrom(hud, api({ listStates: '<html>' }), '2026-11-20', TOKEN),
      quarantined('malformed_page'),
    );
  });

  test('a refused token is reported by the name of its setting, a missing year by its number', async () => {
    const says =
      (status: number, text: RegExp) =>
      (error: unknown): boolean =>
        error instanceof SourceUnavailable &&
        error.status === status &&
        text.test(error.message) &&
        !error.message.includes('a-token');
    await assert.rejects(
      readFrom(hud, api({ listStates: 401 }), '2026-11-20', TOKEN),
      says(401, /HUD_TOKEN \(401\): it is not valid/u),
    );
    await assert.rejects(
      readFrom(hud, api({ listStates: states, 'statedata/GU?year=2027': 403 }), '2026-11-20', TOKEN),
      says(403, /HUD_TOKEN \(403\): it is not registered/u),
    );
    await assert.rejects(readFrom(hud, api({}), '2026-11-20', TOKEN), says(404, /no list of states/u));
    await assert.rejects(
      readFrom(hud, api({ listStates: states }), '2026-11-20', TOKEN),
      says(404, /fiscal year 2027 or 2026/u),
    );
    await assert.rejects(readFrom(hud, api({ listStates: 503 }), '2026-11-20', TOKEN), says(503, /503/u));
  });

  test('ZIP rents are requested once for each area that must use them, with a flag of text or number', async () => {
    const [cleveland, dallas, akron] = [
      { code: 'METRO17410M17410', smallarea_status: '1' },
      { code: 'METRO19100MM1920', smallarea_status: 1 },
      { code: 'METRO10420M10420', smallarea_status: 0 },
    ];
    const zips = JSON.stringify({ data: { year: '2026', basicdata: [] } });
    const { asked, pages } = await readFrom(
      safmr,
      api({
        listStates: states,
        'statedata/OH?year=2026': data(cleveland, akron),
        'statedata/TX?year=2026': data(dallas, cleveland),
        [`data/${cleveland.code}?year=2026`]: zips,
        [`data/${dallas.code}?year=2026`]: zips,
      }),
      '2026-11-20',
      TOKEN,
    );
    assert.deepEqual(
      routesOf(asked).filter((route) => route.startsWith('data/')),
      [`data/${cleveland.code}?year=2026`, `data/${dallas.code}?year=2026`],
    );
    assert.deepEqual(
      pages.map((p) => [p.kind, p.context['code']]),
      [
        ['zipdata', cleveland.code],
        ['zipdata', dallas.code],
      ],
    );
  });
});

test('without a token the API is not called', async () => {
  const workbook = new Uint8Array(5000).fill(0x50);
  const { asked } = await readFrom(hud, ({ pathname }) =>
    pathname.endsWith('/FY26_FMRs.xlsx') ? workbook : undefined,
  );
  assert.ok(asked.every((url) => !url.includes('hudapi')));
});
