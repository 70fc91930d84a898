/** Published filings against the world's registers. */
import type { OhioFiling, WorldDay } from '../world/types.ts';
import { compare, type Comparison, type ReadTable, type Row } from './compare.ts';

export async function compareRegisters(read: ReadTable, day: WorldDay): Promise<Comparison[]> {
  const filings = await read('filings');
  const compareSource = (source: string, truth: readonly (readonly [string, Row])[]): Comparison =>
    compare(
      `filings of ${source}`,
      filings.filter((f) => f['source'] === source),
      (f) => String(f['document_number']),
      new Map(truth),
    );
  return [
    compareSource(
      'ohio_sos',
      day.ohio.filings
        .filter((f) => f.businessName !== null)
        .map((f) => [
          f.documentNumber,
          { business_name: f.businessName, filing_date: f.effectiveDate, ...latestAmendment(day, f) },
        ]),
    ),
    compareSource(
      'colorado_sos',
      day.colorado.map((e) => [
        e.entityId,
        { business_name: e.name, filing_date: e.formedOn, entity_status: e.row['entitystatus'] },
      ]),
    ),
  ];
}

/** The latest amendment of a filing's business in the month's reports. */
function latestAmendment(day: WorldDay, filing: OhioFiling): Row {
  const [latest] = day.ohio.amendments
    .filter(
      (a) =>
        a.charterNumber === filing.charterNumber && a.businessName !== null && a.effectiveDate >= filing.effectiveDate,
    )
    .sort((a, b) => (`${a.effectiveDate} ${a.documentNumber}` < `${b.effectiveDate} ${b.documentNumber}` ? 1 : -1));
  return {
    amendment_kind: latest?.kind ?? null,
    amendment_date: latest?.effectiveDate ?? null,
    amendment_document: latest?.documentNumber ?? null,
  };
}
