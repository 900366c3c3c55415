import { cluster, headingOf as headingOfCluster } from '../clusters/clusters.ts'
import { kinds } from '../kinds/index.ts'
import { cut } from '../matching/cut.ts'
import { textOf } from '../names/text.ts'
import { openTier, signedInTier } from '../permissions.ts'
import { assetText } from '../projects/assets/texts.ts'
import { project } from '../projects/items.ts'
import { changedAt, type RecordItem, recordItem } from '../records/items.ts'
import { namedBy } from '../records/links.ts'
import { byAge, headingOf as headingOfEntry, namesOfEntry, QUEUED } from '../records/queue-entry.ts'
import { documentOfValues, facetOf, MOST_TEXT, short, textsIn } from '../records/search-document.ts'
import type { Change, Document } from '../search/document.ts'
import { provideDocuments } from '../search/model/documents.ts'
import { headingOf as headingOfSource, source } from '../sources/sources.ts'
import { parse } from '../table/item.ts'
import type { Stored } from '../table/read.ts'
import type { Images } from '../table/stream.ts'
import { user } from '../users/users.ts'

/**
 * What search learns of each type of item: a document, or that there is none any more. To add one is to add a row. A document
 * depends on nothing but its item, so that a rebuild makes the same, and says nothing that only insiders know.
 */
const learned: Readonly<Record<string, (stored: Stored) => Change>> = {
  record: (stored) => {
    const it = parse(recordItem, stored)
    return it.deleted_at ? gone(it.entity_id, it.version) : recordDocument(it)
  },
  source: (stored) => {
    const it = parse(source, stored)
    if (it.deleted_at) return gone(it.id, it.version)
    return {
      ...plain(it),
      resource: 'data_sources',
      object_pk: it.id,
      title: it.name,
      names: [],
      summary: short(textOf(it.data.citation)),
      text: textsIn(it.data, kinds.data_source.search, ['name', 'citation']),
      category: headingOfSource(it),
      access_tier: it.access_tier,
      contributor_id: it.contributor_id,
    }
  },
  cluster: (stored) => {
    const it = parse(cluster, stored)
    return {
      ...plain(it),
      resource: 'entity_clusters',
      object_pk: it.id,
      title: it.canonical_label,
      names: it.curated_aliases,
      text: kinds[it.kind].typeScope ?? '',
      category: headingOfCluster(it),
      contributor_id: it.contributor_id,
    }
  },
  // Hidden ones are for their owner and staff; others who work on them have their own lists.
  project: (stored) => {
    const it = parse(project, stored)
    if (it.deleted_at) return gone(it.id, it.version)
    return {
      ...plain(it),
      resource: 'projects',
      object_pk: it.slug,
      title: it.title,
      summary: short(it.abstract),
      text: cut([it.abstract, it.intended_subject, it.tags.join(', ')].filter(Boolean).join('\n'), MOST_TEXT),
      status: it.state,
      is_published: it.visibility === 'public',
      contributor_id: it.owner_id,
    }
  },
  // Found by whoever finds its project, but for those not signed in: they are shown the files, and not what was read from them.
  project_asset_text: (stored) => {
    const it = parse(assetText, stored)
    if (it.text === '') return gone(it.id, it.version)
    return {
      ...plain(it),
      resource: 'project_assets',
      object_pk: `${it.slug}/assets/${it.id}`,
      title: it.title,
      summary: short(it.text.replace(/\s+/g, ' ').trim()),
      text: cut(it.text, MOST_TEXT),
      is_published: it.public,
      access_tier: signedInTier,
      contributor_id: it.owner_id,
    }
  },
  // What waits for review goes by the names that are proposed, which nobody else may learn of: only the queue asks for it.
  queue_by_age: (stored) => {
    const it = parse(byAge, stored)
    if (it.batch) return gone(`${QUEUED}/${it.entity_id}`, it.version)
    const [title = '', ...names] = namesOfEntry(it)
    return {
      ...plain({ ...it, id: `${QUEUED}/${it.entity_id}` }),
      resource: QUEUED,
      object_pk: it.entity_id,
      title,
      names,
      category: headingOfEntry(it),
      status: it.status,
      is_published: false,
      contributor_id: it.contributor_id,
      popularity_score: it.open_flags,
    }
  },
  // Nothing here that is not on everybody's profile page.
  user: (stored) => {
    const it = parse(user, stored)
    const name = [it.first_name, it.middle_name, it.last_name].filter(Boolean).join(' ')
    return {
      ...plain(it),
      resource: 'users',
      object_pk: it.id,
      title: name || it.username,
      names: name ? [it.username] : [],
      summary: short(it.biography),
      text: [it.area_of_expertise, it.position, it.organization, it.university_school].filter(Boolean).join('\n'),
      location_hint: it.country,
      is_published: it.is_active,
      popularity_score: it.score,
    }
  },
}

/** The types of items that search learns of. */
export const learnedTypes: readonly string[] = Object.keys(learned)

/** What search learns of a stored item; undefined of one that is not for it. */
export function documentOf(stored: Stored): Change | undefined {
  return learned[String(stored.type)]?.(stored)
}

provideDocuments({ types: learnedTypes, documentOf })

/** What a change of an item means for search; undefined when it means nothing. */
export function changeOf({ before, after }: Images): Change | undefined {
  const [old, next] = [before && documentOf(before), after && documentOf(after)]
  if (!next) return old && gone(old.id, old.version + 1)
  return old && JSON.stringify({ ...old, version: 0 }) === JSON.stringify({ ...next, version: 0 }) ? undefined : next
}

const gone = (id: string, version: number): Change => ({ id, gone: true, version })

/** What most have in common, and what stands where an item says nothing. */
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

/** So many records that one links to are known to search. */
const MOST_LINKS = 50

/**
 * The standing values of a record. An edit that waits behind a published one is nobody's business and must not show in any
 * member, and neither may the name of a record that it links to, which may be hidden: so its time is that of the revision that stands, and it is popular by the revisions that were accepted.
 */
function recordDocument(it: RecordItem): Document {
  const kind = kinds[it.kind]
  const links = namedBy(it)
    .slice(0, MOST_LINKS)
    .map(({ to, relation }) => ({ id: to, facet: facetOf(relation) }))
  return {
    ...documentOfValues(kind, it.name, it.data),
    ...(links.length > 0 && { links }),
    id: it.entity_id,
    object_pk: kind.record ? String(it.id) : it.entity_id,
    point: it.point,
    category: it.category,
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
