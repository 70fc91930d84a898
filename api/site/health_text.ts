/** Health states as text for people. */
import type { Health } from '../http/health.ts';

export const HEALTH_TEXT: Readonly<
  Record<Health['status'], { readonly title: string; readonly about: string; readonly tone: string }>
> = {
  ok: {
    title: 'All systems work.',
    about: 'You can buy, and every source is up to date.',
    tone: 'good',
  },
  degraded: {
    title: 'Up, with delays.',
    about: 'The records are correct and show their age.',
    tone: 'thin',
  },
  unavailable: { title: 'Not available.', about: 'There are no data to serve.', tone: 'bad' },
};
