import { config } from '../../base/config.ts'
import type { Request } from '../../platform/http/request.ts'
import { maySee, mayVisit, type Subject } from '../../platform/permissions.ts'

/**
 * Headers for an image that everyone may see. Caches may keep the image for five minutes. Pages of any origin may read it, since viewers
 * run anywhere. Empty for hidden images.
 */
export function sharingHeaders(it: Subject, { headers }: Request): Record<string, string> {
  const isOpen = it.project ? mayVisit(null, it) : maySee(null, it)
  if (!isOpen) return {}
  const origin = headers.origin
  // For our own dashboards the pipeline sets CORS headers that allow cookies.
  const isOwn = origin !== undefined && config.CORS_ORIGINS.includes(origin)
  return { 'cache-control': 'public, max-age=300', ...(!isOwn && { 'access-control-allow-origin': '*' }) }
}
