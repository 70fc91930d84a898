/** Requirements that every ledger meets. SQLite and PostgreSQL run this suite, each in its own test file. */
import { audit } from './audit.ts';
import { balance } from './balance.ts';
import { clocks } from './clocks.ts';
import { endings } from './endings.ts';
import { leadClaims } from './lead_claims.ts';
import { leadLimits } from './lead_limits.ts';
import { payerLimits } from './payer_limits.ts';
import { sharedLedger, type Place } from './place.ts';
import { properties } from './properties.ts';
import { reservations } from './reservations.ts';
import { retention } from './retention.ts';
import { settling } from './settling.ts';
import { transfers } from './transfers.ts';
import { thorough } from '../../thorough.ts';

/** How often tests repeat what depends on the order of concurrent steps. */
const EFFORT = { sequences: thorough(6, 15), races: thorough(4, 12) } as const;

export function conformance(place: Place): void {
  const shared = sharedLedger(place);
  reservations(shared);
  leadClaims(shared);
  settling(shared);
  endings(shared);
  retention(shared.onEmpty);
  clocks(shared.onEmpty);
  payerLimits(shared.onEmpty);
  leadLimits(shared.onEmpty);
  properties(shared.onEmpty);
  balance(shared.onEmpty, EFFORT);
  audit(shared.onEmpty);
  transfers(shared.onEmpty, EFFORT);
}
