import { config } from '../config.ts'
import type { Request } from '../http/request.ts'
import { maySee, mayVisit, type Subject } from '../permissions.ts'

/**
 * What everyone may see may be kept by caches for a while, and read by pages of any origin, since viewers are. Of what is
 * hidden neither is said.
 */
export function sharing(it: Subject, { headers }: Request): Record<string, string> {
  const isOpen = it.project ? mayVisit(null, it) : maySee(null, it)
  if (!isOpen) return {}
  const origin = headers.origin
  // Our own dashboards are told by name, with their cookies.
  const isOwn = origin !== undefined && config.CORS_ORIGINS.includes(origin)
  return { 'cache-control': 'public, max-age=300', ...(!isOwn && { 'access-control-allow-origin': '*' }) }
}
