import * as v from 'valibot'
import { newId, now } from '../clock.ts'
import { commit, commitWithAnswer } from '../commit.ts'
import { conflict } from '../errors.ts'
import type { Data } from '../kinds/index.ts'
import { foldedName, type Indexed, indexWrites, readEntry } from '../names/index.ts'
import { textOf } from '../names/text.ts'
import { type Actor, maySee, onlyTier, openTier, type Scope } from '../permissions.ts'
import { amended, defineItem, parse, put, says, type Write } from '../table/item.ts'
import { key } from '../table/keys.ts'
import { type PageRequest, readList } from '../table/pages.ts'
import { get, getMany, queryBetween } from '../table/read.ts'

/** Data sources: registered once, there at once, named by many records. */
const Upload = v.object({
  key: v.string(),
  content_type: v.string(),
  size: v.number(),
})
export const Source = v.object({
  id: v.string(),
  name: v.string(),
  source_type: v.string(),
  data: v.record(v.string(), v.any()),
  access_tier: v.string(),
  ingest_status: v.picklist(['pending', 'processing', 'ready', 'failed']),
  upload: v.nullable(Upload),
  contributor_id: v.string(),
  contributed_by: v.string(),
  public: v.boolean(),
  created_at: v.string(),
  updated_at: v.string(),
  deleted_at: v.nullable(v.string()),
  version: v.number(),
})
export type Source = v.InferOutput<typeof Source>
export type Upload = v.InferOutput<typeof Upload>

type Ways = {
  source_type?: string | undefined
  access_tier?: string | undefined
  ingest_status?: string | undefined
}
/** The name of a list: all sources, or those that share some of the three. */
const listOf = ({ source_type, access_tier, ingest_status }: Ways) =>
  `SOURCE${source_type ? `#TYPE#${source_type}` : ''}${access_tier ? `#TIER#${access_tier}` : ''}${ingest_status ? `#INGEST#${ingest_status}` : ''}`

/** Every list that a source is in is counted, so that any filter has its exact size. */
const listsWith = ({ source_type, access_tier, ingest_status }: Source) =>
  [...new Set([source_type, ''])].flatMap((type) =>
    [access_tier, ''].flatMap((tier) =>
      [ingest_status, ''].map((state) => listOf({ source_type: type, access_tier: tier, ingest_status: state })),
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
      gsi2: { pk: listOf({}), sk },
      ...(source_type && { gsi1: { pk: listOf({ source_type }), sk } }),
    }
  },
  counted: (it) => (it.deleted_at ? [] : listsWith(it)),
})

export const load = (id: string): Promise<Source | undefined> => get(source, { id })

/** The writes that register a source, as values, for transactions that do more. */
export function opening(data: Data, actor: Actor, upload: Upload | null = null): { source: Source; writes: Write[] } {
  const at = now()
  const made: Source = {
    id: newId(),
    ...faceOf(data),
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
    writes: [put(source, made, undefined), ...indexWrites(undefined, findable(made))],
  }
}

/** Registers a source, and writes `also` with it. */
export async function create(data: Data, actor: Actor, upload: Upload | null, also: readonly Write[]): Promise<Source> {
  const { source: made, writes } = opening(data, actor, upload)
  commitWithAnswer([...writes, ...also])
  return made
}

/** Changes a source. Fails with `conflict` when someone else was faster. */
export async function amend(old: Source, data: Data, cleared: readonly string[], replace: boolean): Promise<Source> {
  const kept = replace ? {} : Object.fromEntries(Object.entries(old.data).filter(([name]) => !cleared.includes(name)))
  const after = { ...kept, ...data }
  if (says(old, { data: after })) return old
  const next = amended<Source>(old, {
    ...faceOf(after),
    data: after,
    updated_at: now(),
  })
  commitWithAnswer([put(source, next, old), ...indexWrites(findable(old), findable(next))])
  return next
}

/** Deletes softly: records that name the source keep its name. */
export async function remove(old: Source): Promise<void> {
  await commit([
    put(source, amended<Source>(old, { deleted_at: now() }), old),
    ...indexWrites(findable(old), undefined),
  ])
}

/** Brings a deleted source back as it was. Fails with `conflict` where it is not deleted. */
export async function restore(old: Source): Promise<Source> {
  if (!old.deleted_at) throw conflict('This source is not deleted.')
  const next = amended<Source>(old, { deleted_at: null, updated_at: now() })
  commitWithAnswer([put(source, next, old), ...indexWrites(undefined, findable(next))])
  return next
}

export type Filter = Ways & { forward?: boolean | undefined }
export type Sources = {
  count: number
  results: Source[]
  first?: string | undefined
  last?: string | undefined
}

/** One page of the sources that the scope shows, newest first unless `forward`. */
export async function list(filter: Filter, scope: Scope, place: PageRequest): Promise<Sources> {
  const { source_type, ingest_status, forward } = filter
  const only = onlyTier(scope)
  if (only && filter.access_tier && filter.access_tier !== only) return { count: 0, results: [] }
  const access_tier = only ?? filter.access_tier
  const listing = await readList(
    {
      partitions: [{ index: source_type ? 'gsi1' : 'gsi2', pk: listOf({ source_type }) }],
      counted: [listOf({ source_type, access_tier, ingest_status })],
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

/** What a list is filtered by, as one text. */
export const headingOf = ({ source_type, access_tier, ingest_status }: Source): string =>
  [source_type, access_tier, ingest_status].join('|')

/** At most this many sources of one name are listed. */
const MOST_NAMED = 100

/** Sources of a name, however it is spelt, as the table has them at this moment: for who must not register one twice. Two calls. */
export async function named(name: string, filter: Filter, actor: Actor | null, place: PageRequest): Promise<Sources> {
  const folded = foldedName(name)
  const { pk, sk } = key.name('data_source', folded, '')
  const entries = folded === '' ? [] : await queryBetween(pk, sk, `${sk}~`, MOST_NAMED)
  const found = await getMany(entries.map((entry) => key.source(String(readEntry(entry).id))))
  const visible = [...found.values()]
    .map((item) => parse(source, item))
    .filter((it) => !it.deleted_at && maySee(actor, it) && listsWith(it).includes(listOf(filter)))
  return { count: visible.length, results: visible.slice(place.offset, place.offset + place.limit) }
}

const faceOf = (data: Data) => ({
  name: textOf(data.name),
  source_type: textOf(data.source_type),
  access_tier: textOf(data.access_tier) || openTier,
})

const findable = (it: Source): Indexed => ({
  entity_id: it.id,
  kind: 'data_source',
  id: it.id,
  names: [it.name],
})

/** The licences that sources declare, by id; for sources that whoever is told may see. */
export async function licencesOf(ids: readonly string[]): Promise<Map<string, string>> {
  const found = await getMany(ids.map((id) => key.source(id)))
  return new Map(
    [...found.values()].flatMap((item): [string, string][] => {
      const it = parse(source, item)
      const licence = textOf(it.data.declared_license)
      return licence ? [[it.id, licence]] : []
    }),
  )
}
