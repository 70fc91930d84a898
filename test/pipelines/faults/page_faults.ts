/** Faults of a site's pages, one per source, and the state and reason that a read must end with. */
import type { Alter } from '../../../sandbox/server.ts';

const text = (body: Uint8Array): string => new TextDecoder('latin1').decode(body);
const bytes = (body: string): Uint8Array => Buffer.from(body, 'latin1');

export interface Fault {
  readonly what: string;
  readonly source: string;
  readonly alter: Alter;
  readonly status: 'quarantined' | 'unavailable';
  readonly reason: RegExp;
}

export const FAULTS: readonly Fault[] = [
  {
    what: 'a malformed answer',
    source: 'colorado_sos',
    status: 'quarantined',
    reason: /^(malformed_page|template_changed)$/,
    alter: (q, r) => (q.path === '/resource/4ykn-tg5h.json' ? { ...r, body: bytes('[{"entityid":"20261') } : undefined),
  },
  {
    what: 'an unknown column',
    source: 'colorado_sos',
    status: 'quarantined',
    reason: /^unknown_column$/,
    alter: (q, r) =>
      q.path === '/resource/4ykn-tg5h.json'
        ? { ...r, body: bytes(text(r.body).replaceAll('"entityid"', '"extra":"1","entityid"')) }
        : undefined,
  },
  {
    what: 'an empty body',
    source: 'oh_montgomery_tax',
    status: 'quarantined',
    reason: /^empty_body$/,
    alter: (q, r) =>
      q.host === 'go.mcohio.org' && r.status === 200 && !q.path.endsWith('robots.txt')
        ? { ...r, body: new Uint8Array() }
        : undefined,
  },
  {
    what: 'a truncated download',
    source: 'oh_cuyahoga_tax',
    status: 'quarantined',
    reason: /^truncated_download$/,
    alter: (q, r) =>
      q.host === 'gis.cuyahogacounty.us' && q.path.endsWith('/query') ? { ...r, truncateAt: 300 } : undefined,
  },
  {
    what: 'an index whose template changed',
    source: 'buckeye_income_property',
    status: 'quarantined',
    reason: /^template_changed$/,
    alter: (q, r) =>
      q.host.includes('buckeye-income') && q.path === '/properties'
        ? { ...r, body: bytes(text(r.body).replaceAll('class="property"', 'class="building"')) }
        : undefined,
  },
  {
    what: 'tokens that the auction page no longer explains',
    source: 'oh_cuyahoga_sheriff',
    status: 'quarantined',
    reason: /^template_changed$/,
    alter: (q, r) =>
      q.host.startsWith('cuyahoga') && text(r.body).includes('"retHTML"')
        ? { ...r, body: bytes(text(r.body).replaceAll('@A', '@Z')) }
        : undefined,
  },
  {
    what: 'an auction session that answers as if the day were empty',
    source: 'oh_hamilton_sheriff',
    status: 'quarantined',
    reason: /^count_mismatch$/,
    alter: (q, r) =>
      q.host.startsWith('hamilton.') && text(r.body).includes('"retHTML"')
        ? { ...r, body: bytes('{"retHTML":"","rlist":""}') }
        : undefined,
  },
  {
    what: 'a layer that lost a field',
    source: 'oh_stark_tax',
    status: 'quarantined',
    reason: /^(missing_column|template_changed)$/,
    alter: (q, r) =>
      q.host === 'utility.arcgis.com'
        ? { ...r, body: bytes(text(r.body).replaceAll('FINAL_BALANCE', 'FINAL_BAL')) }
        : undefined,
  },
  {
    what: 'an HTML page in place of a register file',
    source: 'ohio_sos',
    status: 'unavailable',
    reason: /./,
    alter: (q, r) =>
      /WI0[01]\d\dR\.TXT$/.test(q.path)
        ? {
            ...r,
            headers: { 'content-type': 'text/html' },
            body: bytes('<html><head><title>Just a moment...</title></head><body></body></html>'),
            status: 403,
          }
        : undefined,
  },
  {
    what: 'a site that refuses',
    source: 'heartland_multifamily',
    status: 'unavailable',
    reason: /^refused$/,
    alter: (q, r) => (q.host.includes('heartland') ? { ...r, status: 403 } : undefined),
  },
];
