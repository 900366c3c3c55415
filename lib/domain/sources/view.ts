import * as v from 'valibot'
import * as s from '../../base/shapes.ts'
import { type Field, kinds } from '../kinds/index.ts'
import { optionsOf, type Vocabulary } from '../kinds/schema/enums.ts'
import { LabelView, withLabels } from '../labels/labels.ts'
import { type DataSource, ingestStatuses, type Question, standings } from './sources.ts'

export const DataSourceView = s.shape('DataSource', () =>
  v.object({
    id: s.uuid,
    ...Object.fromEntries(
      Object.entries(kinds.data_source.fields).flatMap(([name, { type, aliases, vocabulary }]) => {
        const value = type === 'labels' ? v.array(s.text) : type === 'number' ? s.maybe(v.number()) : s.text
        const entries = [name, ...aliases].map((member): [string, s.Schema] => [member, value])
        return vocabulary ? [...entries, [`${name}_display`, s.text] as const] : entries
      }),
    ),
    access_tier: s.text,
    access_tier_display: s.text,
    ingest_status: s.oneOf(ingestStatuses),
    ingest_status_display: s.text,
    iiif_manifest: s.maybe(s.text),
    uploaded_file: s.maybe(s.text),
    contributed_by: s.text,
    hg_class: s.text,
    created_at: s.time,
    updated_at: s.time,
    labels: v.optional(v.array(LabelView)),
    /** Only of a source that an expert has put in question. */
    question: v.optional(v.object({ standing: s.oneOf(standings), reason: s.text, at: s.time })),
    ...s.tombstone,
  }),
)

/** Shows a data source, with each field under its name and aliases. The link to its file begins with `origin`. */
export function sourceView(source: DataSource, origin: string): s.Output<typeof DataSourceView> {
  const { fields } = kinds.data_source
  const members = Object.entries(fields).flatMap(([name, field]) => fieldMembers(name, field, source.data[name]))
  return {
    id: source.id,
    ...Object.fromEntries(members),
    access_tier: source.access_tier,
    access_tier_display: labelOf(fields.access_tier?.vocabulary, source.access_tier),
    ingest_status: source.ingest_status,
    ingest_status_display: ingestLabels[source.ingest_status],
    iiif_manifest: null,
    uploaded_file: source.upload && `${origin}/cidoc/data_sources/${source.id}/file/`,
    contributed_by: source.contributed_by,
    hg_class: 'DataSource',
    created_at: source.created_at,
    updated_at: source.updated_at,
    ...withLabels(source.labels),
    ...(source.question && { question: questionView(source.question) }),
    ...(source.deleted_at && { deleted_at: source.deleted_at, is_deleted: true }),
  }
}

const questionView = ({ standing, reason, at }: Question) => ({ standing, reason, at })

const ingestLabels: Readonly<Record<DataSource['ingest_status'], string>> = {
  pending: 'Pending',
  processing: 'Processing',
  ready: 'Ready',
  failed: 'Failed',
}

/** Returns a value under its name and aliases. An option also has its label. */
function fieldMembers(name: string, field: Field, stored: unknown): [string, unknown][] {
  const value = stored ?? blankValue(field)
  const members = [name, ...field.aliases].map((member): [string, unknown] => [member, value])
  return field.vocabulary ? [...members, [`${name}_display`, labelOf(field.vocabulary, value)]] : members
}

function blankValue(field: Field) {
  if (field.type === 'labels') return []
  return field.type === 'number' ? null : ''
}

const labelOf = (vocabulary: Vocabulary | undefined, value: unknown) =>
  (vocabulary && optionsOf(vocabulary).find((option) => option.value === value)?.label) ?? ''
