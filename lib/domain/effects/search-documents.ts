import { openTier, signedInTier } from '../../base/visibility.ts'
import { cut } from '../../engines/matching/index.ts'
import type { Change, Document } from '../../engines/search/index.ts'
import type { Images, Stored } from '../../engines/table/index.ts'
import { parse } from '../../engines/table/index.ts'
import { user } from '../../platform/users/users.ts'
import { cluster } from '../clusters/items.ts'
import { kinds } from '../kinds/index.ts'
import { textOf } from '../names/text.ts'
import { assetText } from '../projects/assets/texts.ts'
import { project } from '../projects/items.ts'
import { changedAt, type RecordItem, recordItem } from '../records/items.ts'
import { valueEdges } from '../records/links.ts'
import { namesOfEntry, payloadOfEntry, QUEUE_RESOURCE, queueByAge } from '../records/queue-entry.ts'
import { documentOfValues, facetOfMember, joinTexts, MOST_TEXT, shortSummary } from '../records/search-document.ts'
import { dataSource } from '../sources/sources.ts'

/**
 * By item type: the document of a stored item, or its removal. A new type is a new row. A document depends on its item alone, so a rebuild
 * makes the same one. Except in the queue, it holds nothing that only insiders may read.
 */
const documentsByType: Readonly<Record<string, (stored: Stored) => Change>> = {
  record: (stored) => {
    const it = parse(recordItem, stored)
    const isGone = it.deleted_at !== null || it.superseded_by !== null
    return isGone ? removalOf(it.entity_id, it.version) : recordDocument(it)
  },
  source: (stored) => {
    const it = parse(dataSource, stored)
    if (it.deleted_at) return removalOf(it.id, it.version)
    return {
      ...plain(it),
      resource: 'data_sources',
      object_pk: it.id,
      title: it.name,
      names: [],
      summary: shortSummary(textOf(it.data.citation)),
      text: joinTexts(it.data, kinds.data_source.search, ['name', 'citation']),
      headings: { source_type: it.source_type, access_tier: it.access_tier, ingest_status: it.ingest_status },
      access_tier: it.access_tier,
      contributor_id: it.contributor_id,
    }
  },
  cluster: (stored) => {
    const it = parse(cluster, stored)
    if (it.merged_into) return removalOf(it.id, it.version)
    return {
      ...plain(it),
      resource: 'entity_clusters',
      object_pk: it.id,
      title: it.canonical_label,
      names: it.curated_aliases,
      text: kinds[it.kind].typeScope ?? '',
      headings: { kind: it.kind, locked: String(it.locked) },
      contributor_id: it.contributor_id,
    }
  },
  // Search shows a hidden project to its owner and staff only. Other members have their own list of projects.
  project: (stored) => {
    const it = parse(project, stored)
    if (it.deleted_at) return removalOf(it.id, it.version)
    return {
      ...plain(it),
      resource: 'projects',
      object_pk: it.slug,
      title: it.title,
      summary: shortSummary(it.abstract),
      text: cut([it.abstract, it.intended_subject, it.tags.join(', ')].filter(Boolean).join('\n'), MOST_TEXT),
      status: it.state,
      is_published: it.visibility === 'public',
      contributor_id: it.owner_id,
    }
  },
  // Readers of the project find this text if they are signed in. Readers who are not signed in see the files, but not the text read from
  // them.
  project_asset_text: (stored) => {
    const it = parse(assetText, stored)
    if (it.text === '') return removalOf(it.id, it.version)
    return {
      ...plain(it),
      resource: 'project_assets',
      object_pk: `${it.slug}/assets/${it.id}`,
      title: it.title,
      summary: shortSummary(it.text.replace(/\s+/g, ' ').trim()),
      text: cut(it.text, MOST_TEXT),
      is_published: it.public,
      access_tier: signedInTier,
      contributor_id: it.owner_id,
    }
  },
  // The names are proposed ones, which only reviewers may learn. So only the search of the queue asks for this resource.
  queue_by_age: (stored) => {
    const it = parse(queueByAge, stored)
    if (it.batch) return removalOf(`${QUEUE_RESOURCE}/${it.entity_id}`, it.version)
    const [title = '', ...names] = namesOfEntry(it)
    return {
      ...plain({ ...it, id: `${QUEUE_RESOURCE}/${it.entity_id}` }),
      resource: QUEUE_RESOURCE,
      object_pk: it.entity_id,
      title,
      names,
      status: it.status,
      is_published: false,
      contributor_id: it.contributor_id,
      payload: payloadOfEntry(it),
    }
  },
  // A user's public profile page shows all of this.
  user: (stored) => {
    const it = parse(user, stored)
    const name = [it.first_name, it.middle_name, it.last_name].filter(Boolean).join(' ')
    return {
      ...plain(it),
      resource: 'users',
      object_pk: it.id,
      title: name || it.username,
      names: name ? [it.username] : [],
      summary: shortSummary(it.biography),
      text: [it.area_of_expertise, it.position, it.organization, it.university_school].filter(Boolean).join('\n'),
      location_hint: it.country,
      is_published: it.is_active,
      popularity_score: it.score,
    }
  },
}

/** The types of items that search holds. */
export const documentTypes: readonly string[] = Object.keys(documentsByType)

/** The document of a stored item, or its removal. Undefined if search does not hold this type. */
export function documentOf(stored: Stored): Change | undefined {
  return documentsByType[String(stored.type)]?.(stored)
}

/** The change of search that follows from a change of an item. Undefined if its document stays the same. */
export function changeOf({ before, after }: Images): Change | undefined {
  const [old, next] = [before && documentOf(before), after && documentOf(after)]
  if (!next) return old && removalOf(old.id, old.version + 1)
  return old && JSON.stringify({ ...old, version: 0 }) === JSON.stringify({ ...next, version: 0 }) ? undefined : next
}

const removalOf = (id: string, version: number): Change => ({ id, gone: true, version })

/** The members that most documents share, with their defaults. */
const plain = (it: { id: string; created_at: string; updated_at: string; version: number }) => ({
  id: it.id,
  names: [],
  summary: '',
  text: '',
  location_hint: '',
  point: null,
  status: null,
  is_published: true,
  access_tier: openTier,
  contributor_id: null,
  created_at: it.created_at,
  updated_at: it.updated_at,
  popularity_score: 0,
  version: it.version,
})

/** The most links of a record that search holds. */
const MOST_LINKS = 50

/**
 * The document of a record, made of its standing values. No member may show a waiting edit: time and popularity come from accepted
 * revisions. It has no names of linked records, since these records may be hidden.
 */
function recordDocument(it: RecordItem): Document {
  const kind = kinds[it.kind]
  const links = valueEdges(it)
    .slice(0, MOST_LINKS)
    .map(({ to, relation }) => ({ id: to, facet: facetOfMember(relation) }))
  return {
    ...documentOfValues(kind, it.name, it.data),
    ...(links.length > 0 && { links }),
    id: it.entity_id,
    object_pk: kind.record ? String(it.id) : it.entity_id,
    point: it.point,
    headings: { category: it.category },
    status: it.public ? 'accepted' : it.status,
    is_published: it.public,
    access_tier: it.access_tier,
    contributor_id: it.contributor_id,
    created_at: it.created_at,
    updated_at: changedAt(it),
    popularity_score: it.accepted_revision ?? 0,
    version: it.version,
  }
}
