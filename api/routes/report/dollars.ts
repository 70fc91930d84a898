/** Amounts in sentences. */

/** "225000.00" as "$225,000"; cents only if there are any. */
export function exactDollars(amount: string): string {
  const grouped = amount.replace(/\.00$/, '').replaceAll(/\B(?=(\d{3})+(?!\d))/g, ',');
  return `$${grouped}`;
}
