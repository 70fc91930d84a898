/** A made-up MLS of the sandbox, read by the RESO Web API like a licensed one. */
import { resoWebApi } from '../../families/reso_web_api.ts';

export default resoWebApi({
  name: 'reso_sandbox_mls',
  title: 'Sandbox MLS by RESO Web API (made up)',
  home: 'https://api.sandbox-mls.example/',
  terms: {
    basis: 'sandbox_only',
    note: 'A made-up MLS that exists only in the sandbox; a real one needs a license from the MLS.',
  },
  everyDays: 1,
  politeness: { minIntervalMs: 500, concurrency: 1 },
  expect: { minRows: 1, maxRejectShare: 0.1, maxDropShare: 0.4 },
  service: 'https://api.sandbox-mls.example/odata',
  tokenUrl: 'https://api.sandbox-mls.example/oauth2/token',
  scope: 'api',
  clientId: 'RESO_SANDBOX_MLS_CLIENT_ID',
  clientSecret: 'RESO_SANDBOX_MLS_CLIENT_SECRET',
  onMarket: ['Active', 'Active Under Contract', 'Pending'],
});
