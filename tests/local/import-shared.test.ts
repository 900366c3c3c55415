import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Field } from '../../lib/domain/kinds/index.ts'
import { optionOf } from '../../lib/domain/kinds/schema/enums.ts'
import { foldAlike } from '../../lib/engines/matching/fold.ts'
import { type Draft, draftOf, isRowId, pathOf } from '../../local/commands/import/draft.ts'
import { fieldOf } from '../../local/commands/import/mappings.ts'
import type { Report } from '../../local/commands/import/report.ts'
import { type Offered, type Row, readFiles } from '../../local/commands/import/rows.ts'
import { type App, openApp } from '../harness/app.ts'
import { openCommand } from '../harness/import-command.ts'

const shared = join(import.meta.dirname, '../../../shared/data')
const hasShared = existsSync(shared)
if (!hasShared) console.warn('skipped: the import of ../shared/data, which is not there')

describe.skipIf(!hasShared)('the import of every shared file', { timeout: 300_000 }, () => {
  let app: App
  let operator: Awaited<ReturnType<typeof openCommand>>
  let paths: string[]
  let offered: Offered[]
  let first: Report
  const accepted = () => first.rows.filter((row) => row.accepted === 'yes')
  /** What the command reports of a run over these files. */
  async function run(files: readonly string[], ...options: string[]): Promise<Report> {
    const report = join(operator.directory, 'report.json')
    const { code, out, err } = await operator.command(...files, '--accept', '--report', report, ...options)
    expect(code, out + err).toBe(0)
    return JSON.parse(await readFile(report, 'utf8'))
  }

  beforeAll(async () => {
    app = await openApp({ env: { RATE_IMPORTS: '1000/day', RATE_IMPORT_ROWS: '1000000/day', LOG_LEVEL: 'silent' } })
    operator = await openCommand()
    const names = (await readdir(shared)).filter(
      (name) => name.endsWith('.jsonl') && !/^(search-queries|conflicts)/.test(name),
    )
    paths = names.map((name) => join(shared, name))
    offered = await readFiles(paths)
    first = await run(paths)
  }, 300_000)
  afterAll(() => operator.stop())

  test('loses nothing, and explains every refusal', () => {
    expect(first.offered).toBe(offered.length)
    expect(first.created + first.refused).toBe(first.offered)
    expect(first.accepted).toBe(first.created)
    expect(first.rows.filter((row) => row.outcome === 'refused' && row.reasons.every((it) => !it.reason))).toEqual([])
  })

  test('refuses only values outside a list, claims without a property, and links without both ends', () => {
    const expected = /^(Not a valid choice\. Choose one of: \w|This field is required\.$|There is no record for )/
    const others = first.rows.flatMap((row) => row.reasons).filter(({ reason }) => !expected.test(reason))
    expect(others).toEqual([])
  })

  test('a second run creates nothing', async () => {
    const { rows: _, ...figures } = await run(paths)
    expect(figures).toEqual({
      ...{ offered: first.offered, already_there: first.created, refused: first.refused },
      ...{ created: 0, changed: 0, failed: 0, not_reached: 0, accepted: 0, not_accepted: 0, set_aside: 0 },
    })
  })

  test('each accepted record reads back as it was given, under each prefix', async () => {
    const rowsById = new Map(offered.flatMap((it) => ('row' in it ? [[it.row.id, it.row] as const] : [])))
    const differing: string[] = []
    for (const [at, { id, record }] of accepted().entries()) {
      const row = rowsById.get(id)
      const draft = row && draftOf(row, { lenient: false })
      if (!draft || Array.isArray(draft)) throw new Error(`${id} was accepted and is no draft`)
      const path = `${pathOf(draft.kind.key)}${record?.id}/`
      const plain = await app.anon.get(path)
      expect(plain.status, path).toBe(200)
      if (at % 10 === 0) expect((await app.anon.get(`/api/v1${path.slice(0, -1)}`)).body).toEqual(plain.body)
      differing.push(...differences(draft, plain.body, rowsById).map((name) => `${id} ${name}`))
    }
    expect(differing).toEqual([])
  })

  test('the review identities of accepted records answer under each prefix', async () => {
    const some = accepted().filter((row, at) => row.record?.entity_id && at % 40 === 0)
    expect(some.length).toBeGreaterThan(10)
    for (const { record } of some) {
      const under = async (prefix: string) =>
        (await app.anon.get(`${prefix}/cultural-entities/${record?.entity_id}/`)).body
      const plain = await under('/data')
      expect(plain).toMatchObject({ entity_id: record?.entity_id, status: 'accepted' })
      for (const prefix of ['/data/api', '/api/v1/data', '/api/v1/data/api']) expect(await under(prefix)).toEqual(plain)
    }
  })

  test('a lenient run of what was refused takes in what was so for a value outside a list', async () => {
    const outside = first.rows.filter((row) =>
      row.reasons.some(({ reason }) => reason.startsWith('Not a valid choice')),
    )
    expect(outside.length).toBeGreaterThan(0)
    const refused = new Set(
      first.rows.filter((row) => row.outcome === 'refused').map((row) => `${row.file}:${row.line}`),
    )
    const again = offered.filter((it) => refused.has(`${it.file}:${it.line}`)).map(({ text }) => text)
    const lenient = await run([await operator.file('refused.jsonl', again.join('\n'))], '--lenient')
    const now = new Map(lenient.rows.map((row) => [row.id, row]))
    expect(outside.filter(({ id }) => now.get(id)?.outcome !== 'created')).toEqual([])
    expect(outside.filter(({ id }) => (now.get(id)?.asides.length ?? 0) === 0)).toEqual([])
    expect(lenient.failed + lenient.not_reached + lenient.not_accepted).toBe(0)
  })
})

/** The members of a row that an answer does not give back as the row had them. */
function differences(draft: Draft, body: Record<string, unknown>, all: ReadonlyMap<string, Row>): string[] {
  const fields = draft.kind.fields
  const values = Object.entries(draft.values).filter(([name, value]) => {
    const field = fieldOf(draft.kind, name)
    if (!field) return true
    if (name === 'note') return !String(body.note).startsWith(String(value).normalize('NFC'))
    return String(body[name]) !== plain(field, value)
  })
  const references = draft.references.filter(({ as, given }) => {
    const shown = [body[as]].flat().map((it) => (isLink(it) ? it.name : String(it ?? '')))
    const meant = given.filter((token) => !isRowId(token) || all.has(token))
    return meant.some((token) => !shown.some((name) => foldAlike(name, String(all.get(token)?.name ?? token))))
  })
  const assertions: unknown[] = Array.isArray(body.assertions) ? body.assertions : []
  // A claim about no record says itself where it comes from.
  const named =
    draft.kind.key === 'assertion' ? body : assertions.find((it) => isClaim(it) && it.asserted_property === 'name')
  const claims = Object.entries(draft.assertion)
  // Ids that stand behind names are noted after what the row says.
  const sourced =
    !fields.identifier || (isClaim(named) && claims.every(([name, it]) => String(named[name]).startsWith(it)))
  return [...values.map(([name]) => name), ...references.map(({ as }) => as), ...(sourced ? [] : ['assertion'])]
}

const isClaim = (it: unknown): it is Record<string, unknown> => typeof it === 'object' && it !== null
const isLink = (it: unknown): it is { name: string } => isClaim(it) && typeof it.name === 'string'

function plain(field: Field, value: unknown): string {
  if (Array.isArray(value)) return value.join(field.type === 'labels' ? ',' : ', ').normalize('NFC')
  if (field.vocabulary) return optionOf(field.vocabulary, String(value)) ?? ''
  return String(value).normalize('NFC')
}
