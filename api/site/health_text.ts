/** The health of the service as text for people. */
import type { Health } from '../http/health.ts';

export interface HealthText {
  readonly title: string;
  readonly about: string;
  readonly tone: 'good' | 'thin' | 'bad';
}

/** Sources that no run has read yet: their records are not in the data. */
const unreadText = (unread: number): string =>
  unread === 0
    ? 'every source is up to date'
    : `every source that is read is up to date; ${unread} ${unread === 1 ? 'is' : 'are'} not read yet`;

/** @param unread sources that were never read */
export function healthText({ status, payments }: Health, unread: number): HealthText {
  if (status === 'unavailable') return { title: 'Not available.', about: 'There are no data to serve.', tone: 'bad' };
  if (!payments.ready)
    return {
      title: 'You cannot buy now.',
      about: 'A paid call gets 503 and is not charged. Pages and free calls work.',
      tone: 'bad',
    };
  return status === 'degraded'
    ? { title: 'Up, with delays.', about: 'You can buy. The records are correct and show their age.', tone: 'thin' }
    : { title: 'All systems work.', about: `You can buy, and ${unreadText(unread)}.`, tone: 'good' };
}
