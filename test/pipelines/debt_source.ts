/** A small source of debts for tests of staging. */
import { defineRecord, money, text } from '../../lib/record.ts';
import { defineSource, Quarantine, type Candidate, type SourceSpec } from '../../sources/contract.ts';

const Debt = defineRecord('debt', 'One row per parcel.', ['parcel'], {
  parcel: text('Parcel.'),
  amount: money('Amount.', { absent: 'not published' }),
});

export const spec: SourceSpec = defineSource({
  name: 'test_debts',
  family: 'tax',
  title: 'Debts',
  home: 'https://county.example/',
  everyDays: 1,
  hosts: ['county.example'],
  terms: { basis: 'sandbox_only', note: 'Made up for this test.' },
  politeness: { minIntervalMs: 0, concurrency: 1 },
  row: Debt,
  expect: { minRows: 1, maxRejectShare: 0.5, maxDropShare: 0.4 },
  async *fetch() {
    /* pages are handed to parse directly */
  },
  /** A line `parcel=amount`; `parcel=` has no amount, a line without `=` is refused, `!` is a changed template. */
  parse: (page) =>
    page
      .text()
      .split('\n')
      .filter(Boolean)
      .map((line): Candidate => {
        if (line === '!') throw new Quarantine('template_changed', 'the page says !');
        const [parcel = '', amount] = line.split('=');
        if (amount === undefined)
          return {
            reject: { reason: 'wrong_field_count', detail: `line is ${line}, expected parcel=amount` },
            key: { parcel },
            raw: line,
          };
        return { values: { parcel, amount: amount || null }, raw: line };
      }),
});
