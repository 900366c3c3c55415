import type { Persona } from '../../harness/app.ts'
import { sure } from '../../harness/make.ts'

/** A record of a citation, or one difference. */
export type Row = {
  change?: 'added' | 'changed' | 'removed'
  kind: string
  id: number | string
  cultural_entity_id: string
  revision: number | null
  name: string | null
  values: object | null
  digest: string | null
  holds?: boolean
  withdrawn: { rule: string; links?: string[] } | null
}

/** All records of a citation, page by page. */
export async function cited(who: Persona, path: string): Promise<Row[]> {
  const rows: Row[] = []
  for (let next: string | null = `${path}?limit=100`; next; ) {
    const url = new URL(next, 'http://x')
    const body = sure(200, await who.get(url.pathname, { query: Object.fromEntries(url.searchParams) }))
    rows.push(...body.results)
    next = body.next
  }
  return rows
}

type Told = Pick<Row, 'cultural_entity_id' | 'revision' | 'name' | 'values' | 'digest'>

/** The older answer with all differences applied, by review identity. */
export function applyDifference(older: readonly Row[], differences: readonly Row[]): Map<string, Told> {
  const rows = new Map(older.map((row) => [row.cultural_entity_id, told(row)]))
  for (const it of differences) {
    if (it.change === 'removed') rows.delete(it.cultural_entity_id)
    else rows.set(it.cultural_entity_id, told(it))
  }
  return new Map([...rows].sort(([a], [b]) => (a < b ? -1 : 1)))
}

const told = ({ cultural_entity_id, revision, name, values, digest }: Row): Told => ({
  cultural_entity_id,
  revision,
  name,
  values,
  digest,
})
