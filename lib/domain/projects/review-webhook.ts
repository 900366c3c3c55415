import { config } from '../../base/config.ts'
import { isConflict, noneIf } from '../../base/errors.ts'
import { commitWrites } from '../../engines/table/immediate.ts'
import { get, type Images, parse } from '../../engines/table/index.ts'
import { deliveryFor } from '../webhooks/deliveries.ts'
import { project, projectActivity } from './items.ts'

/**
 * Stores a message to the review webhook when a project enters review. A repeated change stores it once. Does nothing if
 * `REVIEW_WEBHOOK_URL` is empty.
 */
export async function announceReview({ before, after }: Images): Promise<void> {
  if (before || !after || config.REVIEW_WEBHOOK_URL === '') return
  const { id, action, payload, project_id } = parse(projectActivity, after)
  if (action !== 'state_changed' || payload.to !== 'in_review') return
  const it = await get(project, { id: project_id })
  if (!it) return
  const body = JSON.stringify({ project_id: it.id, slug: it.slug, title: it.title })
  await commitWrites([deliveryFor(null, { id, event: 'project.in_review', body })]).catch(noneIf(isConflict))
}
