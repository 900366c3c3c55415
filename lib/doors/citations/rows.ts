import { digestOfValue } from '../../domain/feed/state.ts'
import { type KindKey, kinds } from '../../domain/kinds/index.ts'
import type { Label } from '../../domain/labels/labels.ts'
import { isLink, isPicture } from '../../domain/names/text.ts'
import type { Values } from '../../domain/names/values.ts'
import type { RecordRow } from '../../domain/records/items.ts'
import { showRecords, type Visible } from '../../domain/records/shown.ts'
import type { CitedEntry } from './items.ts'

/**
 * A record as a citation shows it. Only its revision and the public ends of its links decide what it holds. It holds no names of people or
 * of other records. So a departure or a new name does not change it.
 */
export type CitedRow = {
  kind: KindKey
  id: number | string
  cultural_entity_id: string
  revision: number
  accepted: number
  name: string
  values: Values
  digest: string
  /** What communities say of the use of the record today. The digest leaves this out, since it may change. */
  labels: readonly Label[]
  /** The ends of its links that the row shows. All are public. */
  links: readonly string[]
}

/** A stored row. `told`: the ends of links that a citation keeps; only these may be shown. Undefined: all public ends are shown. */
export type RowToCite = { row: RecordRow; told?: readonly string[] | undefined }

/** Makes the rows as everyone may read them. One call for each hundred linked records and contributors. */
export async function citeRows(rows: readonly RowToCite[]): Promise<CitedRow[]> {
  const shown = await showRecords(
    null,
    rows.map(({ row }) => row),
  )
  return shown.map((it, i) => citeRow(it, rows[i] as RowToCite))
}

function citeRow(shown: Visible<RecordRow>, { row, told }: RowToCite): CitedRow {
  const links: string[] = []
  const values: Values = {}
  for (const name of Object.keys(shown.data)) {
    const value = citedValue(row, shown, name, told, links)
    if (!Array.isArray(value) || value.length > 0) values[name] = value
  }
  const { kind, entity_id, category } = row
  const id = kinds[kind].record ? row.id : entity_id
  const digest = digestOfValue({ kind, id, name: row.name, category, values })
  const revision = row.accepted_revision ?? 0
  const accepted = row.accepted_at === null ? 0 : Date.parse(row.accepted_at)
  return {
    kind,
    id,
    cultural_entity_id: entity_id,
    revision,
    accepted,
    name: row.name,
    values,
    digest,
    labels: row.labels,
    links: links.sort(),
  }
}

/** A value as it is cited. Adds the public ends that the value shows to `links`. */
function citedValue(row: RecordRow, shown: Visible<RecordRow>, name: string, told: RowToCite['told'], links: string[]) {
  const field = kinds[row.kind].fields[name]
  const value = row.data[name]
  if (field?.type === 'media') return Array.isArray(value) ? value.filter(isPicture).map(({ id }) => id) : []
  const to = field?.relation
  if (!to || !Array.isArray(value)) return value
  const visible: readonly unknown[] = Array.isArray(shown.data[name]) ? shown.data[name].map(({ id }) => id) : []
  return value.filter(isLink).flatMap(({ id, text }): object[] => {
    const end = `${to}/${id}`
    if (visible.includes(id) && (told?.includes(end) ?? true)) {
      links.push(end)
      return [{ kind: to, id }]
    }
    return text === undefined ? [] : [{ name: text }]
  })
}

/** The entry that a citation keeps of a row. */
export const entryOfRow = ({ cultural_entity_id, revision, accepted, digest, links }: CitedRow): CitedEntry => ({
  entity_id: cultural_entity_id,
  revision,
  accepted,
  digest,
  links,
})
