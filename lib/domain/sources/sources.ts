import * as v from 'valibot'
import { newId, now } from '../../base/clock.ts'
import { conflict } from '../../base/errors.ts'
import { onlyTier, openTier, type Scope } from '../../base/visibility.ts'
import {
  defineItem,
  get,
  getMany,
  type PageRequest,
  parse,
  put,
  queryBetween,
  readList,
  says,
  type UnitOfWork,
  type Write,
  withNextVersion,
} from '../../engines/table/index.ts'

import { foldedName, type Indexed, indexWrites, readEntry } from '../../platform/name-index/entries.ts'
import { type Actor, maySee } from '../../platform/permissions.ts'
import { key } from '../../platform/table/keys.ts'
import type { InputValues } from '../kinds/index.ts'
import { textOf } from '../names/text.ts'

/** The file that was uploaded with a data source. */
const SourceUpload = v.object({
  key: v.string(),
  content_type: v.string(),
  size: v.number(),
})
/** A data source: registered once, readable at once without review, cited by many records. */
export const Source = v.object({
  id: v.string(),
  name: v.string(),
  source_type: v.string(),
  data: v.record(v.string(), v.any()),
  access_tier: v.string(),
  ingest_status: v.picklist(['pending', 'processing', 'ready', 'failed']),
  upload: v.nullable(SourceUpload),
  contributor_id: v.string(),
  contributed_by: v.string(),
  public: v.boolean(),
  created_at: v.string(),
  updated_at: v.string(),
  deleted_at: v.nullable(v.string()),
  version: v.number(),
})
export type Source = v.InferOutput<typeof Source>
export type Upload = v.InferOutput<typeof SourceUpload>

type SourceFacts = {
  source_type?: string | undefined
  access_tier?: string | undefined
  ingest_status?: string | undefined
}
/** The list of all sources, or of those with the same type, tier or ingest status. */
const sourceList = ({ source_type, access_tier, ingest_status }: SourceFacts) =>
  `SOURCE${source_type ? `#TYPE#${source_type}` : ''}${access_tier ? `#TIER#${access_tier}` : ''}${ingest_status ? `#INGEST#${ingest_status}` : ''}`

/** All lists that hold a source. Each is counted, so any filter has an exact size. */
const listsOf = ({ source_type, access_tier, ingest_status }: Source) =>
  [...new Set([source_type, ''])].flatMap((type) =>
    [access_tier, ''].flatMap((tier) =>
      [ingest_status, ''].map((state) => sourceList({ source_type: type, access_tier: tier, ingest_status: state })),
    ),
  )

export const source = defineItem({
  type: 'source',
  schema: Source,
  key: (it: { id: string }) => key.source(it.id),
  indexes: (it) => {
    if (it.deleted_at) return {}
    const sk = `${it.created_at}#${it.id}`
    const { source_type } = it
    return {
      gsi2: { pk: sourceList({}), sk },
      ...(source_type && { gsi1: { pk: sourceList({ source_type }), sk } }),
    }
  },
  counted: (it) => (it.deleted_at ? [] : listsOf(it)),
})

export const loadSource = (id: string): Promise<Source | undefined> => get(source, { id })

/** Plans to register a source, and writes nothing: for callers that write more with it. */
export function planSource(
  data: InputValues,
  actor: Actor,
  upload: Upload | null = null,
): { source: Source; writes: Write[] } {
  const at = now()
  const made: Source = {
    id: newId(),
    ...summaryOf(data),
    data,
    ingest_status: upload ? 'ready' : 'pending',
    upload,
    contributor_id: actor.id,
    contributed_by: actor.username,
    public: true,
    created_at: at,
    updated_at: at,
    deleted_at: null,
    version: 1,
  }
  return {
    source: made,
    writes: [put(source, made, undefined), ...indexWrites(undefined, nameEntryOf(made))],
  }
}

/** Registers a source. */
export async function createSource(
  unit: UnitOfWork,
  data: InputValues,
  actor: Actor,
  upload: Upload | null,
): Promise<Source> {
  const { source: made, writes } = planSource(data, actor, upload)
  unit.add(writes)
  return made
}

/** Changes a source. Fails with `conflict` when somebody else was faster. */
export async function amendSource(
  unit: UnitOfWork,
  old: Source,
  data: InputValues,
  cleared: readonly string[],
  replace: boolean,
): Promise<Source> {
  const kept = replace ? {} : Object.fromEntries(Object.entries(old.data).filter(([name]) => !cleared.includes(name)))
  const after = { ...kept, ...data }
  if (says(old, { data: after })) return old
  const next = withNextVersion<Source>(old, {
    ...summaryOf(after),
    data: after,
    updated_at: now(),
  })
  unit.add([put(source, next, old), ...indexWrites(nameEntryOf(old), nameEntryOf(next))])
  return next
}

/** Deletes softly. Records that cite the source keep its name. */
export async function deleteSource(unit: UnitOfWork, old: Source): Promise<void> {
  unit.add([
    put(source, withNextVersion<Source>(old, { deleted_at: now() }), old),
    ...indexWrites(nameEntryOf(old), undefined),
  ])
}

/** Restores a deleted source. Fails with `conflict` where it is not deleted. */
export async function restoreSource(unit: UnitOfWork, old: Source): Promise<Source> {
  if (!old.deleted_at) throw conflict('This source is not deleted.')
  const next = withNextVersion<Source>(old, { deleted_at: null, updated_at: now() })
  unit.add([put(source, next, old), ...indexWrites(undefined, nameEntryOf(next))])
  return next
}

export type SourceFilter = SourceFacts & { forward?: boolean | undefined }
export type SourcePage = {
  count: number
  results: Source[]
  first?: string | undefined
  last?: string | undefined
}

/** One page of the sources within the scope, newest first unless `forward`. */
export async function listSources(filter: SourceFilter, scope: Scope, place: PageRequest): Promise<SourcePage> {
  const { source_type, ingest_status, forward } = filter
  const only = onlyTier(scope)
  if (only && filter.access_tier && filter.access_tier !== only) return { count: 0, results: [] }
  const access_tier = only ?? filter.access_tier
  const listing = await readList(
    {
      partitions: [{ index: source_type ? 'gsi1' : 'gsi2', pk: sourceList({ source_type }) }],
      counted: [sourceList({ source_type, access_tier, ingest_status })],
      only: {
        ...(access_tier && { access_tier }),
        ...(ingest_status && { ingest_status }),
      },
      ...(forward && { forward }),
    },
    place,
  )
  return {
    ...listing,
    results: listing.items.map((item) => parse(source, item)),
  }
}

/** The heading under which search files a source: type, tier and ingest status. */
export const sourceHeading = ({ source_type, access_tier, ingest_status }: Source): string =>
  [source_type, access_tier, ingest_status].join('|')

/** The most sources of one name that are listed. */
const MOST_NAMED = 100

/**
 * Lists sources by folded name, read consistently: so a client can tell whether a source is registered already. Two
 * calls.
 */
export async function listSourcesByName(
  name: string,
  filter: SourceFilter,
  actor: Actor | null,
  place: PageRequest,
): Promise<SourcePage> {
  const folded = foldedName(name)
  const { pk, sk } = key.name('data_source', folded, '')
  const entries = folded === '' ? [] : await queryBetween(pk, sk, `${sk}~`, MOST_NAMED)
  const found = await getMany(entries.map((entry) => key.source(String(readEntry(entry).id))))
  const visible = [...found.values()]
    .map((item) => parse(source, item))
    .filter((it) => !it.deleted_at && maySee(actor, it) && listsOf(it).includes(sourceList(filter)))
  return { count: visible.length, results: visible.slice(place.offset, place.offset + place.limit) }
}

const summaryOf = (data: InputValues) => ({
  name: textOf(data.name),
  source_type: textOf(data.source_type),
  access_tier: textOf(data.access_tier) || openTier,
})

const nameEntryOf = (it: Source): Indexed => ({
  entity_id: it.id,
  kind: 'data_source',
  id: it.id,
  names: [it.name],
})

/** The declared licences of sources, by id. The caller must only ask for sources that the reader may see. */
export async function loadLicences(ids: readonly string[]): Promise<Map<string, string>> {
  const found = await getMany(ids.map((id) => key.source(id)))
  return new Map(
    [...found.values()].flatMap((item): [string, string][] => {
      const it = parse(source, item)
      const licence = textOf(it.data.declared_license)
      return licence ? [[it.id, licence]] : []
    }),
  )
}
