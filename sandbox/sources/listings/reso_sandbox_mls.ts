/** A made-up MLS of the sandbox, read like a licensed one: a server like MLS Grid's, of Data Dictionary 1.7. */
import { resoWebApi } from '../../../sources/readers/reso/adapter.ts';
import { mlsGrid } from '../../../sources/readers/reso/server.ts';

export default resoWebApi({
  name: 'reso_sandbox_mls',
  title: 'Sandbox MLS by RESO Web API (made up)',
  home: 'https://api.sandbox-mls.example/',
  terms: {
    basis: 'sandbox_only',
    note: 'A made-up MLS that exists only in the sandbox; a real one needs a license from the MLS.',
  },
  everyDays: 1,
  expect: { minRows: 1, maxRejectShare: 0.1, maxDropShare: 0.4 },
  server: { ...mlsGrid('sandbox'), service: 'https://api.sandbox-mls.example/v2' },
});
