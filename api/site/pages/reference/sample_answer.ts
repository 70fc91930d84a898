/** The sample response of an endpoint: from this snapshot if the call is free, otherwise from the sample records. */
import { excerptOf, type Excerpt } from '../../../docs/answer_excerpt.ts';
import { answerExample } from '../../../docs/examples.ts';
import { Problem } from '../../../http/problem.ts';
import type { Route } from '../../../routes/define.ts';
import { bodyObject } from '../../../snapshot/json_text.ts';
import type { PageContext } from '../../page.ts';

export interface SampleAnswer extends Excerpt {
  /** Whether it is what the server answers now. */
  readonly isLive: boolean;
}

/** Undefined if the call is priced or needs a path parameter, or this snapshot has no answer. */
async function liveAnswer(route: Route, { request }: PageContext): Promise<unknown> {
  if (route.price !== null || route.pathParams) return undefined;
  try {
    return bodyObject(await route.handle(request));
  } catch (error) {
    if (error instanceof Problem) return undefined;
    throw error;
  }
}

export async function sampleAnswer(route: Route, context: PageContext): Promise<SampleAnswer> {
  const live = await liveAnswer(route, context);
  if (live !== undefined) return { ...excerptOf(live), isLive: true };
  const example = answerExample(route);
  if (typeof example === 'string') return { text: example, isShortened: true, isLive: false };
  return { ...excerptOf(example), isLive: false };
}
