/** Published filings of businesses. */
import type { OhioAmendment, OhioFiling } from '../../world/types.ts';
import type { Row, TrueRow } from '../compare.ts';
import type { RecordTable } from '../snapshot.ts';
import type { Truth } from '../truth/truth.ts';

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

/** Ohio posts one month at a time: the filings of all months that were posted on a day of a read. */
function ohioFilings(truth: Truth): TrueRow[] {
  const daysOf = (source: string): readonly string[] => truth.sources.get(source)?.days ?? [];
  const byNumber = <T extends OhioAmendment | OhioFiling>(rows: readonly T[]): T[] => [
    ...new Map(rows.map((row) => [row.documentNumber, row])).values(),
  ];
  const filings = byNumber(daysOf('ohio_sos').flatMap((day) => truth.on(day).ohio.filings));
  const amendments = byNumber(daysOf('ohio_sos_amendments').flatMap((day) => truth.on(day).ohio.amendments));
  const byBusiness = Map.groupBy(amendments, ({ charterNumber }) => charterNumber);
  return filings
    .filter(({ businessName }) => businessName !== null)
    .map((filing) => ({
      key: filing.documentNumber,
      columns: {
        business_name: filing.businessName,
        filing_date: filing.effectiveDate,
        ...latestAmendment(filing, byBusiness.get(filing.charterNumber) ?? []),
      },
    }));
}

export const FILINGS: readonly RecordTable[] = [
  {
    record: 'filings of ohio_sos',
    table: 'filings',
    where: "source = 'ohio_sos'",
    // Months posted before the oldest snapshot are not known.
    needsAllReads: true,
    keyOf: (row) => String(row['document_number']),
    truth: ({ truth }) => ohioFilings(truth),
  },
  {
    record: 'filings of colorado_sos',
    table: 'filings',
    where: "source = 'colorado_sos'",
    keyOf: (row) => String(row['document_number']),
    truth({ truth }) {
      const reads = truth.sources.get('colorado_sos');
      return (reads ? truth.on(reads.lastGood).colorado : []).map((entity) => ({
        key: entity.entityId,
        columns: {
          business_name: entity.name,
          filing_date: entity.formedOn,
          entity_status: entity.row['entitystatus'] ?? null,
        },
      }));
    },
  },
];
