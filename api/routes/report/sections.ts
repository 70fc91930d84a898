/** The parameter `fields` of a report: its sections. */
import type { z } from 'zod';
import { ALL, fieldChoices } from '../list/field_groups.ts';
import { namesParam } from '../params.ts';

/** Fields that a report has with any sections. */
const ENVELOPE = { note: true, property: true, generated_at: true, as_of: true, snapshot_id: true } as const;
const isEnvelope = (name: string): boolean => Object.hasOwn(ENVELOPE, name);

/** Parameter, response and selection of the sections of this report. */
export function sectionsOf<S extends z.ZodRawShape>(report: z.ZodObject<S>) {
  const sections = Object.keys(report.shape).filter((name) => !isEnvelope(name));
  const optional = Object.fromEntries(sections.map((name) => [name, true as const]));
  return {
    param: namesParam(
      fieldChoices(sections, {}),
      'Sections of the report to return; default all.',
      `of ${ALL}, ${sections.join(', ')}, with commas between them`,
    ),
    response: report.partial(optional as Parameters<typeof report.partial>[0]),
    /** The report with some sections. */
    select: (whole: Readonly<Record<string, unknown>>, requested: ReadonlySet<string>): Record<string, unknown> =>
      Object.fromEntries(Object.entries(whole).filter(([name]) => requested.has(name) || isEnvelope(name))),
  };
}
