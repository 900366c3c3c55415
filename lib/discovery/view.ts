import { discovered, kindOfResource } from '../kinds/resources.ts'
import type { Hit } from '../search/query.ts'

/** The page of the dashboard that shows what was found. */
export function urlOf({ resource, object_pk }: Pick<Hit, 'resource' | 'object_pk'>): string {
  const kind = kindOfResource(resource)
  if (kind) return `/knowledge/${kind}/view/${object_pk}`
  // An asset has no page of its own: it is shown on that of its project, whose slug its name begins with.
  if (resource === 'projects' || resource === 'project_assets') return `/contribute/projects/${object_pk.split('/')[0]}`
  return `/users/${object_pk}`
}

/** A result. `id` is what names the thing in its own endpoint, the review identity of a record is beside it. */
export const resultView = (it: Hit) => ({
  resource: it.resource,
  id: it.object_pk,
  title: it.title,
  summary: it.summary,
  status: it.status,
  is_published: it.is_published,
  updated_at: it.updated_at,
  score: Math.round(it.score * 1e6) / 1e6,
  url: urlOf(it),
  location_hint: it.location_hint,
  cultural_entity_id: kindOfResource(it.resource) ? it.id : null,
})

/** A completion of what is being typed. */
export const suggestionView = (it: Hit) => ({
  title: it.title,
  resource: it.resource,
  id: it.object_pk,
  location_hint: it.location_hint,
  url: urlOf(it),
})

type Discovered = keyof typeof discovered
const isDiscovered = (resource: string): resource is Discovered => resource in discovered

/** A row of the discovery page. */
export const discoveryView = (it: Hit) => ({
  id: it.object_pk,
  resource: it.resource,
  type: isDiscovered(it.resource) ? discovered[it.resource] : it.resource,
  name: it.title,
  summary: it.summary,
  location_hint: it.location_hint,
  cultural_entity_id: it.id,
  status: it.status,
  is_published: it.is_published,
  has_media: false,
})
