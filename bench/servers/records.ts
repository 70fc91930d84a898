/** Answers of a given size, no two the same: what a list of records looks like to a payment layer. */

const RECORD = {
  id: 'a1b2c3d4e5f60718',
  address: '1234 North Example Street',
  city: 'Columbus',
  state: 'OH',
  zip: '43215',
  units: 12,
  year_built: 1968,
  list_price: 1_250_000,
  cap_rate: 7.31,
  deal_score: 81,
  gross_rent: 164_400,
  vacancy: 0.07,
  noi: 91_380.55,
  dscr: 1.24,
  listing_status: 'active',
  rental_status: 'rent roll',
  note: null,
};

/** Makes answers of about so many bytes. Each has a number of its own, and records whose fields differ from one another. */
export function answersOf(bytes: number): () => string {
  const records: string[] = [];
  for (let length = 0, i = 0; length < bytes; i += 1) {
    const text = JSON.stringify({
      ...RECORD,
      id: (i * 2_654_435_761).toString(16).padStart(16, '0'),
      zip: String(43_000 + ((i * 7) % 999)),
      list_price: 200_000 + ((i * 7919) % 2_000_000),
      noi: ((i * 104_729) % 200_000) / 2,
      deal_score: (i * 31) % 100,
    });
    records.push(text);
    length += text.length;
  }
  const rest = `"records":[${records.join(',')}]}`;
  let asked = 0;
  return () => {
    asked += 1;
    return `{"asked":${asked},${rest}`;
  };
}
