import * as v from 'valibot'
import { newId, now } from '../../base/clock.ts'
import { conflict } from '../../base/errors.ts'
import { omit } from '../../base/omit.ts'
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
import { changeLabels, type LabelInput } from '../labels/input.ts'
import { Label } from '../labels/labels.ts'
import { textOf } from '../names/text.ts'

/** The file that was uploaded with a data source. */
const SourceUpload = v.object({
  key: v.string(),
  content_type: v.string(),
  size: v.number(),
})
/** The states of the file of a data source. */
export const ingestStatuses = ['pending', 'processing', 'ready', 'failed'] as const

/**
 * What an expert says of a source. `references`: the references by which claims name the source. `is_restoring`: decisions because of it
 * are being undone.
 */
export const standings = ['trusted', 'questioned', 'withdrawn'] as const
const Question = v.object({
  standing: v.picklist(standings),
  reason: v.string(),
  by: v.string(),
  at: v.string(),
  references: v.array(v.string()),
  is_restoring: v.boolean(),
  /** How many values rested on the source alone when it was put in question. */
  resting: v.optional(v.number(), 0),
})
export type Question = v.InferOutput<typeof Question>

/** A data source: registered once, readable at once without review, cited by many records. */
export const DataSource = v.object({
  id: v.string(),
  name: v.string(),
  source_type: v.string(),
  data: v.record(v.string(), v.any()),
  access_tier: v.string(),
  ingest_status: v.picklist(ingestStatuses),
  /** Null for a source that was registered without a file. */
  upload: v.nullable(SourceUpload),
  contributor_id: v.string(),
  contributed_by: v.string(),
  public: v.boolean(),
  /** What communities say of its use. */
  labels: v.optional(v.array(Label), []),
  /** Null unless the source is in question, or decisions because of it are being undone. */
  question: v.optional(v.nullable(Question), null),
  created_at: v.string(),
  updated_at: v.string(),
  deleted_at: v.nullable(v.string()),
  version: v.number(),
})
export type DataSource = v.InferOutput<typeof DataSource>
export type SourceUpload = v.InferOutput<typeof SourceUpload>

type SourceFacts = {
  source_type?: string | undefined
  access_tier?: string | undefined
  ingest_status?: string | undefined
}
/** Names the list of all sources, or of the sources with this type, tier or ingest status. */
const sourceList = ({ source_type, access_tier, ingest_status }: SourceFacts) =>
  `SOURCE${source_type ? `#TYPE#${source_type}` : ''}${access_tier ? `#TIER#${access_tier}` : ''}${ingest_status ? `#INGEST#${ingest_status}` : ''}`

/** Names all lists that hold a source. Each is counted, so any filter has an exact size. */
const listsOf = ({ source_type, access_tier, ingest_status }: DataSource) =>
  [...new Set([source_type, ''])].flatMap((type) =>
    [access_tier, ''].flatMap((tier) =>
      [ingest_status, ''].map((state) => sourceList({ source_type: type, access_tier: tier, ingest_status: state })),
    ),
  )

/** The lists of sources that are in question, and of those for which decisions are being undone (`is_restoring`). */
export const IN_QUESTION = 'SOURCE#IN_QUESTION'
export const RESTORING = 'SOURCE#RESTORING'

export const dataSource = defineItem({
  type: 'source',
  schema: DataSource,
  key: ({ id }: { id: string }) => key.source(id),
  indexes: ({ id, source_type, question, created_at, deleted_at }) => {
    if (deleted_at) return {}
    const sk = `${created_at}#${id}`
    return {
      gsi2: { pk: sourceList({}), sk },
      ...(source_type && { gsi1: { pk: sourceList({ source_type }), sk } }),
      ...(question && { gsi3: { pk: question.is_restoring ? RESTORING : IN_QUESTION, sk: `${question.at}#${id}` } }),
    }
  },
  counted: (it) => (it.deleted_at ? [] : listsOf(it)),
})

export const loadSource = (id: string): Promise<DataSource | undefined> => get(dataSource, { id })

/** Returns a new source and the writes that store it. The caller commits them, perhaps with further writes. */
export function planSource(
  data: InputValues,
  actor: Actor,
  upload: SourceUpload | null = null,
): { source: DataSource; writes: Write[] } {
  const at = now()
  const source: DataSource = {
    id: newId(),
    ...summaryOf(data),
    data,
    ingest_status: upload ? 'ready' : 'pending',
    upload,
    contributor_id: actor.id,
    contributed_by: actor.username,
    public: true,
    labels: [],
    question: null,
    created_at: at,
    updated_at: at,
    deleted_at: null,
    version: 1,
  }
  return {
    source,
    writes: [put(dataSource, source, undefined), ...indexWrites(undefined, nameEntryOf(source))],
  }
}

/** Adds a new source to the unit of work. `upload` describes its file, which the caller has stored. */
export async function createSource(
  unit: UnitOfWork,
  data: InputValues,
  actor: Actor,
  upload: SourceUpload | null,
): Promise<DataSource> {
  const { source, writes } = planSource(data, actor, upload)
  unit.add(writes)
  return source
}

/**
 * Changes the values of a source. With `replace`, values that were not sent are removed; else only the `cleared` ones.
 * Fails with `conflict` if the source has changed since it was read.
 */
export async function amendSource(
  unit: UnitOfWork,
  old: DataSource,
  data: InputValues,
  cleared: readonly string[],
  replace: boolean,
): Promise<DataSource> {
  const unchanged = replace ? {} : omit(old.data, ...cleared)
  const values = { ...unchanged, ...data }
  if (says(old, { data: values })) return old
  const next = withNextVersion<DataSource>(old, {
    ...summaryOf(values),
    data: values,
    updated_at: now(),
  })
  unit.add([put(dataSource, next, old), ...indexWrites(nameEntryOf(old), nameEntryOf(next))])
  return next
}

/** Replaces all labels of a source, in this order. Fails with `refused` if the caller may not set one of them. */
export async function labelSource(
  unit: UnitOfWork,
  old: DataSource,
  inputs: readonly LabelInput[],
  actor: Actor,
): Promise<DataSource> {
  const labels = await changeLabels(
    { labels: old.labels, isPublic: old.public, parts: Object.keys(old.data) },
    inputs,
    actor,
  )
  const next = withNextVersion<DataSource>(old, { labels })
  unit.add([put(dataSource, next, old)])
  return next
}

/**
 * Marks a source as deleted. Staff can restore it, and records that cite it keep its name. Fails with `conflict` while the source is in
 * question, or while decisions because of it are being undone. Nobody would find a deleted source to end that.
 */
export async function deleteSource(unit: UnitOfWork, old: DataSource): Promise<void> {
  if (old.question) throw conflict('This source is in question. Let that be taken back first.')
  unit.add([
    put(dataSource, withNextVersion<DataSource>(old, { deleted_at: now() }), old),
    ...indexWrites(nameEntryOf(old), undefined),
  ])
}

/** Puts a deleted source back into its lists and the name index. Fails with `conflict` if it is not deleted. */
export async function restoreSource(unit: UnitOfWork, old: DataSource): Promise<DataSource> {
  if (!old.deleted_at) throw conflict('This source is not deleted.')
  const next = withNextVersion<DataSource>(old, { deleted_at: null, updated_at: now() })
  unit.add([put(dataSource, next, old), ...indexWrites(undefined, nameEntryOf(next))])
  return next
}

export type SourceFilter = SourceFacts & { forward?: boolean | undefined }
export type SourcePage = {
  count: number
  results: DataSource[]
  first?: string | undefined
  last?: string | undefined
}

/** Returns one page of the sources within the scope, newest first unless `forward`. */
export async function listSources(filter: SourceFilter, scope: Scope, place: PageRequest): Promise<SourcePage> {
  const { source_type, ingest_status, forward } = filter
  const onlyReadableTier = onlyTier(scope)
  if (onlyReadableTier && filter.access_tier && filter.access_tier !== onlyReadableTier)
    return { count: 0, results: [] }
  const access_tier = onlyReadableTier ?? filter.access_tier
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
    results: listing.items.map((item) => parse(dataSource, item)),
  }
}

/** The most sources of one name that are listed. */
const MAX_SAME_NAME = 100

/**
 * Lists the sources of a folded name that the caller may see, among the first 100 of that name. Both reads are consistent, so a client can
 * find out whether a source is registered already.
 */
export async function listSourcesByName(
  name: string,
  filter: SourceFilter,
  actor: Actor | null,
  place: PageRequest,
): Promise<SourcePage> {
  const folded = foldedName(name)
  const { pk, sk } = key.name('data_source', folded, '')
  const entries = folded === '' ? [] : await queryBetween(pk, sk, `${sk}~`, MAX_SAME_NAME)
  const items = await getMany(
    entries.map((entry) => key.source(String(readEntry(entry).id))),
    true,
  )
  const visible = [...items.values()]
    .map((item) => parse(dataSource, item))
    .filter((source) => !source.deleted_at && maySee(actor, source) && listsOf(source).includes(sourceList(filter)))
  return { count: visible.length, results: visible.slice(place.offset, place.offset + place.limit) }
}

const summaryOf = (data: InputValues) => ({
  name: textOf(data.name),
  source_type: textOf(data.source_type),
  access_tier: textOf(data.access_tier) || openTier,
})

const nameEntryOf = ({ id, name }: DataSource): Indexed => ({
  entity_id: id,
  kind: 'data_source',
  id,
  names: [name],
})

/** Loads the declared licences of sources, by id. Pass only the ids of sources that the reader may see. */
export async function loadLicences(ids: readonly string[]): Promise<Map<string, string>> {
  const items = await getMany(ids.map((id) => key.source(id)))
  return new Map(
    [...items.values()].flatMap((item): [string, string][] => {
      const { id, data } = parse(dataSource, item)
      const licence = textOf(data.declared_license)
      return licence ? [[id, licence]] : []
    }),
  )
}
