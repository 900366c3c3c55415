import { kinds, proseFields } from '../../kinds/index.ts'
import { shortened } from '../../matching/cut.ts'
import type { RecordItem } from '../items.ts'
import type { Group } from '../links.ts'
import type { Dating } from './dates.ts'

type Asked = { domain: string; id: string; group: string | undefined; page: number; page_size: number }

/** Related records by kind, one page of each group. */
export const relatedView = ({ page, page_size, ...asked }: Asked, groups: readonly Group[], dating: Dating) => ({
  domain: asked.domain,
  entity_id: asked.id,
  page,
  page_size,
  group: asked.group ?? null,
  total_related: groups.reduce((sum, group) => sum + group.count, 0),
  groups: groups.map(({ kind, count, heads, more }) => ({
    domain_key: kind,
    display_type: kinds[kind].label,
    count,
    page,
    page_size,
    has_more: more,
    results: heads.map((it) =>
      dating.whole(
        {
          id: it.id,
          domain_key: kind,
          name: it.name,
          summary: summaryOf(it),
          display_type: kinds[kind].label,
        },
        it,
      ),
    ),
  })),
})

/** The first words that say what a record is, cut at 280 characters. */
function summaryOf(it: RecordItem): string {
  const text = proseFields.map((name) => it.data[name]).find((value) => typeof value === 'string' && value !== '') ?? ''
  return shortened(String(text), 280)
}
