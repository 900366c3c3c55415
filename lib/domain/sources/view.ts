import * as v from 'valibot'
import * as s from '../../base/shapes.ts'
import { type Field, kinds } from '../kinds/index.ts'
import { optionsOf, type Vocabulary } from '../kinds/schema/enums.ts'
import type { Source } from './sources.ts'

/** A data source, with every member that its kind declares. */
export const DataSourceView = s.shape('DataSource', () =>
  v.object({
    id: s.uuid,
    ...Object.fromEntries(
      Object.entries(kinds.data_source.fields).flatMap(([name, { type, aliases, vocabulary }]) => {
        const value = type === 'labels' ? v.array(s.text) : type === 'number' ? s.maybe(v.number()) : s.text
        const entries = [name, ...aliases].map((each): [string, s.Schema] => [each, value])
        return vocabulary ? [...entries, [`${name}_display`, s.text] as const] : entries
      }),
    ),
    access_tier: s.text,
    access_tier_display: s.text,
    ingest_status: s.oneOf(['pending', 'processing', 'ready', 'failed']),
    ingest_status_display: s.text,
    iiif_manifest: s.maybe(s.text),
    uploaded_file: s.maybe(s.text),
    contributed_by: s.text,
    hg_class: s.text,
    created_at: s.time,
    updated_at: s.time,
    ...s.tombstone,
  }),
)

/** A data source with each field under its name and aliases. The link to its file begins with `origin`. */
export function sourceView(it: Source, origin: string): s.Output<typeof DataSourceView> {
  const { fields } = kinds.data_source
  return {
    id: it.id,
    ...Object.fromEntries(Object.entries(fields).flatMap(([name, field]) => members(name, field, it.data[name]))),
    access_tier: it.access_tier,
    access_tier_display: labelOf(fields.access_tier?.vocabulary, it.access_tier),
    ingest_status: it.ingest_status,
    ingest_status_display: ingestLabels[it.ingest_status],
    iiif_manifest: null,
    uploaded_file: it.upload && `${origin}/cidoc/data_sources/${it.id}/file/`,
    contributed_by: it.contributed_by,
    hg_class: 'DataSource',
    created_at: it.created_at,
    updated_at: it.updated_at,
    ...(it.deleted_at && { deleted_at: it.deleted_at, is_deleted: true }),
  }
}

const ingestLabels: Readonly<Record<Source['ingest_status'], string>> = {
  pending: 'Pending',
  processing: 'Processing',
  ready: 'Ready',
  failed: 'Failed',
}

/** A value under its name and aliases. An option also has its label. */
function members(name: string, field: Field, stored: unknown): [string, unknown][] {
  const value = stored ?? absent(field)
  const named = [name, ...field.aliases].map((each): [string, unknown] => [each, value])
  return field.vocabulary ? [...named, [`${name}_display`, labelOf(field.vocabulary, value)]] : named
}

function absent(field: Field) {
  if (field.type === 'labels') return []
  return field.type === 'number' ? null : ''
}

const labelOf = (vocabulary: Vocabulary | undefined, value: unknown) =>
  (vocabulary && optionsOf(vocabulary).find((option) => option.value === value)?.label) ?? ''
