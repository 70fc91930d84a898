/** Words for states, so that every page says the same. */
import type { Health } from '../http/health.ts';

export const PLAIN_HEALTH: Readonly<
  Record<Health['status'], { readonly title: string; readonly about: string; readonly tone: string }>
> = {
  ok: {
    title: 'Everything works.',
    about: 'Data are served, payments are taken, and every source that is read is fresh.',
    tone: 'good',
  },
  degraded: {
    title: 'Serving, with something to look at.',
    about: 'What is served is right and says its age.',
    tone: 'thin',
  },
  unavailable: { title: 'Not serving.', about: 'There is no snapshot to serve.', tone: 'bad' },
};
