/** Published filings against the world's registers. */
import type { OhioAmendment, OhioFiling } from '../world/types.ts';
import { compare, type Comparison, type Row, type TrueRow } from './compare.ts';
import type { ReadTable } from './snapshot.ts';
import type { Truth } from './truth/truth.ts';

const keyOf = (row: Row): string => String(row['document_number']);

/** Ohio posts one month at a time: the filings of all months that were posted on a day of a read. */
function ohioFilings(truth: Truth): TrueRow[] {
  const daysOf = (source: string): readonly string[] => truth.sources.get(source)?.days ?? [];
  const filings = new Map<string, OhioFiling>();
  for (const day of daysOf('ohio_sos'))
    for (const filing of truth.on(day).ohio.filings) filings.set(filing.documentNumber, filing);
  const amendments = new Map<string, OhioAmendment>();
  for (const day of daysOf('ohio_sos_amendments'))
    for (const amendment of truth.on(day).ohio.amendments) amendments.set(amendment.documentNumber, amendment);
  const byBusiness = Map.groupBy(amendments.values(), ({ charterNumber }) => charterNumber);
  return [...filings.values()].flatMap((filing) =>
    filing.businessName === null
      ? []
      : [
          {
            key: filing.documentNumber,
            fields: {
              filing: { business_name: filing.businessName, filing_date: filing.effectiveDate },
              amendment: latestAmendment(filing, byBusiness.get(filing.charterNumber) ?? []),
            },
          },
        ],
  );
}

/** The latest amendment of a filing's business. */
function latestAmendment(filing: OhioFiling, amendments: readonly OhioAmendment[]): Row {
  const order = (amendment: OhioAmendment): string => `${amendment.effectiveDate} ${amendment.documentNumber}`;
  const latest = amendments
    .filter((amendment) => amendment.businessName !== null && amendment.effectiveDate >= filing.effectiveDate)
    .toSorted((a, b) => (order(a) < order(b) ? 1 : -1))[0];
  return {
    amendment_kind: latest?.kind ?? null,
    amendment_date: latest?.effectiveDate ?? null,
    amendment_document: latest?.documentNumber ?? null,
  };
}

function coloradoFilings(truth: Truth, day: string): TrueRow[] {
  return truth.on(day).colorado.map((entity) => ({
    key: entity.entityId,
    fields: {
      filing: {
        business_name: entity.name,
        filing_date: entity.formedOn,
        entity_status: entity.row['entitystatus'] ?? null,
      },
    },
  }));
}

export async function compareRegisters(read: ReadTable, truth: Truth): Promise<Comparison[]> {
  const filings = await read('filings');
  const compareSource = (source: string, rows: readonly TrueRow[]): Comparison[] =>
    compare({
      what: `filings of ${source}`,
      published: filings.filter((row) => row['source'] === source),
      keyOf,
      truth: rows,
    });
  const colorado = truth.sources.get('colorado_sos');
  return [
    // Months posted before the oldest snapshot are not known.
    ...(truth.isComplete ? compareSource('ohio_sos', ohioFilings(truth)) : []),
    ...(colorado ? compareSource('colorado_sos', coloradoFilings(truth, colorado.lastGood)) : []),
  ];
}
