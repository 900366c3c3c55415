import * as v from 'valibot'
import * as s from '../../../base/shapes.ts'
import { shorten } from '../../../engines/matching/index.ts'
import { DatesShownView } from '../../../platform/http/shown-dates.ts'
import { kindKeys, kinds, proseFields } from '../../kinds/index.ts'
import type { RecordItem } from '../items.ts'
import type { RelatedGroup } from '../links.ts'
import type { DateDisplay } from './dates.ts'

type RelatedInput = { domain: string; id: string; group: string | undefined; page: number; page_size: number }

export const RelatedView = s.shape('Related', () =>
  v.object({
    domain: s.text,
    entity_id: s.text,
    page: s.whole,
    page_size: s.whole,
    group: s.maybe(s.text),
    total_related: s.whole,
    groups: v.array(
      v.object({
        domain_key: s.oneOf(kindKeys),
        display_type: s.text,
        count: s.whole,
        page: s.whole,
        page_size: s.whole,
        has_more: v.boolean(),
        results: v.array(
          v.object({
            id: s.whole,
            domain_key: s.oneOf(kindKeys),
            name: s.text,
            summary: s.text,
            display_type: s.text,
            dates: v.optional(DatesShownView),
          }),
        ),
      }),
    ),
  }),
)

/** Shows related records, grouped by kind. */
export const relatedView = (
  { domain, id, group, page, page_size }: RelatedInput,
  groups: readonly RelatedGroup[],
  dating: DateDisplay,
) => ({
  domain,
  entity_id: id,
  page,
  page_size,
  group: group ?? null,
  total_related: groups.reduce((sum, { count }) => sum + count, 0),
  groups: groups.map(({ kind, count, heads, more }) => ({
    domain_key: kind,
    display_type: kinds[kind].label,
    count,
    page,
    page_size,
    has_more: more,
    results: heads.map((head) =>
      dating.addDates(
        {
          id: head.id,
          domain_key: kind,
          name: head.name,
          summary: summaryOf(head),
          display_type: kinds[kind].label,
        },
        head,
      ),
    ),
  })),
})

function summaryOf({ data }: RecordItem): string {
  const text = proseFields.map((name) => data[name]).find((value) => typeof value === 'string' && value !== '') ?? ''
  return shorten(String(text), 280)
}
