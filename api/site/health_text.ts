/** Health states as text for people. */
import type { Health } from '../http/health.ts';

export const HEALTH_TEXT: Readonly<
  Record<Health['status'], { readonly title: string; readonly about: string; readonly tone: string }>
> = {
  ok: {
    title: 'All systems work.',
    about: 'The server has data, accepts payments, and every source is fresh.',
    tone: 'good',
  },
  degraded: {
    title: 'Serving, with warnings.',
    about: 'The data are correct and show their age.',
    tone: 'thin',
  },
  unavailable: { title: 'Not serving.', about: 'There is no snapshot to serve.', tone: 'bad' },
};
