/** Off-market seller leads: the list, and GET /api/leads/exclusive, one lead with its property, sold to one buyer. */
import { z } from 'zod';
import type { Held, LeadLimits, OfferedLead } from '../../../ledger/ledger.ts';
import { currentAssumptions } from '../../../models/assumptions.ts';
import { AUCTION_TYPES, INDEPENDENT_KINDS } from '../../../models/fields.ts';
import { Lead } from '../../../models/marts/leads.ts';
import { Problem, type Reason } from '../../http/problem.ts';
import { Filters } from '../../serving/filters.ts';
import { cachePerSnapshot } from '../../serving/memo.ts';
import { coarseRange, rangeOf, type Range } from '../count/coarse.ts';
import { defineRoute, type Route, type RouteRequest } from '../define.ts';
import { dataOf, NOTE, noteOf, PUBLISHED, publishedOf } from '../envelope.ts';
import { FIELD_GROUPS } from '../list/field_groups.ts';
import { listRoute } from '../list/route.ts';
import { choiceParam, hintsOf, integerParam } from '../params.ts';
import { areaFilters } from '../list/area.ts';
import { by, narrowed, paramsOf, type FilterRequest } from '../list/filters.ts';
import { placeFilters, placeHint } from '../list/place.ts';
import { PRICES } from '../../../lib/prices.ts';
import { startOfDay } from '../weeks.ts';
import { propertyKind } from '../public_records.ts';
import { notHeld } from './lead_holds.ts';

const { county, ...otherPlaces } = placeFilters;

const MAX_SIGNALS = INDEPENDENT_KINDS.length;
const MAX_AGE_KEY = 'lead_max_age_days';

/** Days within which a lead's signal must have been verified: the snapshot's assumption, else the declared one. */
const maxAgeDays = cachePerSnapshot(async (snapshot): Promise<number> => {
  const { assumption_set_id: set } = snapshot.manifest;
  const row = snapshot.all('assumptions').find((one) => one['key'] === MAX_AGE_KEY && one['assumption_set_id'] === set);
  const value = row?.['value'] ?? currentAssumptions().rows.find(({ key }) => key === MAX_AGE_KEY)?.value;
  if (value === undefined) throw new Error(`there is no assumption ${MAX_AGE_KEY}`);
  return Number(value);
});

type DayRequest = Pick<RouteRequest<Record<never, never>>, 'snapshot' | 'today'>;

/** Leads that may be sold today: recently verified, and no sale in the past. Both depend on the day of the request. */
export const sellableLeads = async ({ snapshot, today }: DayRequest): Promise<Filters> =>
  new Filters('leads')
    .and('last_verified', '>=', startOfDay(today, await maxAgeDays(snapshot)))
    .either({ column: 'sale_date', is: 'absent' }, { column: 'sale_date', is: '>=', value: today });

/** Filters of the list and of the exclusive sale. */
const leadFilters = {
  county,
  min_score: by('lead_score', '>=', integerParam('Minimum lead_score.', 0, 100)),
  lead_type: by('lead_type', '=', choiceParam(['tax_delinquent', 'sheriff_sale_auction'], 'Kind of lead.')),
  property_kind: propertyKind,
  min_signals: by(
    'signals_count',
    '>=',
    integerParam('Minimum signals_count: independent kinds of distress of the property.', 1, MAX_SIGNALS),
  ),
  ...otherPlaces,
  auction_type: by(
    'auction_type',
    '=',
    choiceParam(AUCTION_TYPES, 'Kind of sale of an auction lead; a tax lead has none.'),
  ),
};

/** Leads that match the filters and may be sold today, held or not. */
const matchingLeads = async (request: DayRequest & FilterRequest): Promise<Filters> =>
  narrowed(await sellableLeads(request), leadFilters, request);

export const leads = listRoute({
  name: 'leads',
  path: '/api/leads',
  price: PRICES['/api/leads'],
  about:
    'Scored off-market seller leads from public records, each verified within the last seven days, ranked by ' +
    'lead_score. A property whose lead was sold exclusively has none.',
  filters: { ...leadFilters, ...areaFilters },
  record: Lead.schema,
  fields: FIELD_GROUPS.leads,
  page: 20,
  guarantees: ['debt_open', 'sale_scheduled'],
  feed: {
    list: 'leads',
    filters: [...Object.keys(placeFilters), 'lead_type'],
    columns: { lead_type: 'kind' },
    fields: { metro: 'county' },
  },
  // Holds are read before the rows: a property held before this request is never in the list.
  async list(request) {
    const held = await request.holds();
    return {
      itemName: 'lead',
      rank: { column: 'lead_score', direction: 'DESC' },
      filters: notHeld(await sellableLeads(request), held),
      note: 'Public records only; no skip-traced contact data.',
    };
  },
});

/** Leads offered to the ledger at once. */
const OFFERED_AT_ONCE = 200;
/** Leads that one payer may hold without having paid for them, those counted that it let go within a day. */
const LEADS_PER_PAYER = 3;
/** Share of the available leads that payers without a completed purchase may hold together. */
const NEW_PAYERS_SHARE = 0.2;
/** Minimum for them, so that one payer alone cannot reach the common limit. */
const NEW_PAYERS_MIN = 3 * LEADS_PER_PAYER;

/** @param available number of leads */
export const leadLimits = (available: number): LeadLimits => ({
  perPayer: LEADS_PER_PAYER,
  byNewPayers: Math.max(NEW_PAYERS_MIN, Math.floor(available * NEW_PAYERS_SHARE)),
});

const PROMISE =
  'This property is yours alone. From claimed_at on, no lead of it is sold to anyone else, in this snapshot or a ' +
  'later one, and none is in a list, total or sample of leads; the ranges of /api/count are those of the snapshot, ' +
  'so that they show no sale; the free samples and examples leave the property out. A property is recognized by its ' +
  'parcel in the county, by its court case, or by its exact number, street and place; an address that one list ' +
  'prints for several parcels identifies none of them. Lists sold earlier may contain the lead. The public records ' +
  'behind it stay public: signals, auctions, deals, reports and lookup still show them, with the same parcel and ' +
  'address, under ids that are not those of leads. They do not say that the property was sold or to whom; buyers of ' +
  'the list can see that its leads are gone.';

const Claim = z.strictObject({
  promise: z.literal(PROMISE),
  /** Id of the purchase; the wallet that paid can collect this response again at `collect`. */
  receipt_id: z.uuid(),
  lead_id: z.string(),
  also_taken: z
    .array(z.string())
    .meta({ description: 'Other leads of the same property, which left the pool with this one. They are not sold.' }),
  claimed_at: z.iso.datetime(),
  collect: z.url(),
});

const ExclusiveLead = z.strictObject({
  note: NOTE.optional(),
  ...PUBLISHED,
  filters: z.record(z.string(), z.unknown()),
  claim: Claim,
  lead: Lead.schema,
});

const leadParams = paramsOf(leadFilters);
type ExclusiveRequest = RouteRequest<typeof leadParams>;

const LEAD_KEYS = `SELECT leads.id, property_key FROM leads LEFT JOIN property_keys USING (record_id)
  WHERE leads.pos = ? ORDER BY property_key`;

/** Matching leads with the keys of their properties in batches, the highest score first. */
async function* rankedLeads(request: ExclusiveRequest): AsyncGenerator<OfferedLead[]> {
  const { snapshot } = request;
  const rows = await snapshot.select(await matchingLeads(request));
  for (let from = 0; from < rows.length; from += OFFERED_AT_ONCE)
    yield rows.slice(from, from + OFFERED_AT_ONCE).map((row) => {
      const found = snapshot.rows(LEAD_KEYS, row);
      const properties = found.flatMap(({ property_key: key }) => (key === null ? [] : [String(key)]));
      return { leadId: String(found[0]?.['id']), properties };
    });
}

/** Ids of the other leads that share a key with this one. */
function otherLeadsOf({ snapshot }: ExclusiveRequest, { leadId, properties }: OfferedLead): string[] {
  const rows = snapshot.rows(
    `SELECT DISTINCT leads.id FROM property_keys JOIN leads USING (record_id)
    WHERE property_key IN (SELECT value FROM json_each(?)) AND leads.id <> ? ORDER BY leads.id`,
    JSON.stringify(properties),
    leadId,
  );
  return rows.map(({ id }) => String(id));
}

/**
 * Counts of matching leads that are being bought and that are sold, as ranges. The lowest range includes zero, so no
 * choice of filters shows whether one lead is sold.
 */
async function countTaken(request: ExclusiveRequest): Promise<{ being_bought: Range; sold: Range }> {
  const holds = await request.holds();
  const counts = { being_bought: 0, sold: 0 };
  for await (const some of rankedLeads(request)) {
    for (const { leadId, properties } of some) {
      const state = [leadId, ...properties].map((name) => holds.get(name)).find((held) => held !== undefined);
      if (state !== undefined) counts[state === 'sold' ? 'sold' : 'being_bought'] += 1;
    }
  }
  return { being_bought: rangeOf(counts.being_bought, false), sold: rangeOf(counts.sold, false) };
}

/** Filters by place. Whether a sale exists in a place is public: /api/count/auctions tells none from a few. */
const PLACES = Object.keys(placeFilters);

/** Kinds of sale of the leads in the place of a request, each with its range of /api/count: sales change neither. */
async function auctionTypes(request: ExclusiveRequest): Promise<readonly ({ auction_type: string } & Range)[]> {
  const { auction_type: given, ...params } = request.params;
  const ofPlace = Object.fromEntries(Object.entries(params).filter(([name]) => PLACES.includes(name)));
  const inPlace = await matchingLeads({ ...request, params: ofPlace });
  const found = [...(await request.snapshot.counts(inPlace, 'auction_type')).keys()].map(String);
  const types = AUCTION_TYPES.filter((type) => found.includes(type) && (given === undefined || type === given));
  return Promise.all(
    types.map(async (type) => {
      const { at_least, at_most } = await coarseRange(leads, { ...request, params: { ...params, auction_type: type } });
      return { auction_type: type, at_least, at_most };
    }),
  );
}

/** Seconds after which a held lead may be sold or free. */
const HELD_SECONDS = 60;

type Limited = Extract<Held, { kind: 'limited' }>;
const LIMITS: Readonly<Record<Limited['by'], readonly [reason: Reason, detail: string]>> = {
  payer: ['too_many_held_leads', 'This payer holds the maximum number of unpaid leads.'],
  released: [
    'payer_unbilled_too_often',
    'Too many purchases of leads by this payer ended unpaid within a day. Other calls are still sold to it.',
  ],
  'new payers': [
    'lead_pool_held',
    'Payers who never bought hold the maximum number of unpaid leads. Try again when some of their payments have ' +
      'ended, or after a first purchase of another call.',
  ],
};

function limitProblem(reached: Limited): Problem {
  const [reason, detail] = LIMITS[reached.by];
  const seconds = reached.by === 'released' ? Math.ceil(reached.forMs / 1000) : HELD_SECONDS;
  return new Problem(reason, `${detail} Nothing was charged.`, {}, { 'Retry-After': String(seconds) });
}

/** @param collectUrl URL at which the purchase of a receipt id is collected */
export const exclusive = (collectUrl: (receiptId: string) => string): Route =>
  defineRoute({
    name: 'exclusive_lead',
    path: '/api/leads/exclusive',
    price: PRICES['/api/leads/exclusive'],
    about:
      'The available lead with the highest score that matches the filters. It is sold to one buyer only, with its ' +
      'property: every lead of the property leaves /api/leads for good, and none is sold to anyone else. Its public ' +
      'records stay.',
    params: leadParams,
    isExclusive: true,
    guarantees: ['debt_open', 'sale_scheduled'],
    reasons: [
      'contract_wallet_refused',
      'too_many_held_leads',
      'payer_unbilled_too_often',
      'lead_pool_held',
      'exclusive_paused',
    ],
    response: ExclusiveLead,
    async offer(request) {
      const hints = hintsOf(leadParams, request.params);
      return {
        matches: await coarseRange(leads, request),
        auction_types: await auctionTypes(request),
        ...(hints.length === 0 ? {} : { hints }),
      };
    },
    async handle(request): Promise<z.input<typeof ExclusiveLead>> {
      const { snapshot, manifest, params, openPurchase } = request;
      if (!openPurchase) throw new Error('a lead can only be held for a purchase');
      // By all leads that could be sold today.
      const limits = leadLimits(await snapshot.total(await sellableLeads(request)));
      for await (const some of rankedLeads(request)) {
        const held = await openPurchase.hold(some, limits);
        if (held.kind === 'none') continue;
        if (held.kind === 'limited') throw limitProblem(held);
        const id = held.leadId;
        const offered = some.find(({ leadId }) => leadId === id);
        const [lead] = snapshot.records('leads', snapshot.withKey('leads', 'id', [id]));
        if (!lead || !offered) throw new Error('the held lead is not in this snapshot');
        const { purchase } = openPurchase;
        return {
          ...noteOf(manifest, 'Public records only; no skip-traced contact data.'),
          ...publishedOf(manifest),
          filters: { ...params },
          claim: {
            promise: PROMISE,
            receipt_id: purchase.id,
            lead_id: id,
            also_taken: otherLeadsOf(request, offered),
            claimed_at: `${new Date(purchase.reservedAtMs).toISOString().slice(0, 19)}Z`,
            collect: collectUrl(purchase.id),
          },
          lead: lead as z.input<typeof Lead.schema>,
        };
      }
      const taken = await countTaken(request);
      throw new Problem(
        'no_matches',
        'No available lead matches these filters. A lead that is being bought returns if its payment fails. Nothing ' +
          'was charged.',
        {
          filters: { ...params },
          place: await placeHint(snapshot, params),
          ...taken,
          list: leads.path,
          ...dataOf(manifest),
        },
        taken.being_bought.at_least > 0 ? { 'Retry-After': '60' } : {},
      );
    },
  });
