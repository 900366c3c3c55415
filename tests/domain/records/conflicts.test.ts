import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { type App, openApp } from '../../harness/app.ts'
import { flagsOf, publish, sure } from '../../harness/make.ts'

const file = join(import.meta.dirname, '../../../../shared/data/conflicts.jsonl')
const here = existsSync(file)
if (!here) console.warn('skipped: the real conflicts, since ../shared/data is not here')

type Conflict = {
  id: string
  claims: { record_kind: string; property: string; value: string; source: string; source_url: string }[]
}
const real: Conflict[] = here
  ? readFileSync(file, 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line))
  : []

/** Conflicts of values that the model knows, one for each way to settle one. */
const settled = [
  { handling: 'supersedes', conflict: 'date_semantics', standing: 'superseded', claim: 'accepted', stands: 1 },
  { handling: 'coexist', conflict: 'date_semantics', standing: 'accepted', claim: 'accepted', stands: 1 },
  { handling: 'existing_stands', conflict: 'date_semantics', standing: 'accepted', claim: 'superseded', stands: 0 },
  { handling: 'refines', conflict: 'date_semantics', standing: 'accepted', claim: 'accepted', stands: 1 },
  { handling: 'disputed', conflict: 'date_semantics', standing: 'disputed', claim: 'disputed', stands: 0 },
] as const

let app: App
beforeAll(async () => {
  app = await openApp()
})

describe('a real conflict between two sources', () => {
  test.runIf(here).each(settled)(
    'is raised by the second claim and settled in the workspace: $handling',
    async ({ handling, conflict, standing, claim, stands }) => {
      const [first, second] = real.find((it) => 'conflict_type' in it && it.conflict_type === conflict)?.claims ?? []
      if (!first || !second) throw new Error(`no ${conflict} in the data`)
      const property = first.property
      const from = ({ source, source_url }: typeof first) => ({
        assertion: { source_type: 'web', source_citation: source, source_url },
      })
      const record = await publish(app, 'structures', {
        name: `Stupa of ${handling}`,
        [property]: first.value,
        ...from(first),
      })
      const at = `/cidoc/structures/${record.id}/`

      sure(200, await app.contributor.patch(at, { body: { [property]: second.value, ...from(second) } }))
      expect((await flagsOf(record)).map((it) => [it.flag_type, it.property, it.is_resolved])).toEqual([
        ['contradiction', property, false],
      ])
      const workspace = sure(200, await app.domain.get(`/data/review-workspace/${record.cultural_entity_id}/`))
      expect(workspace.conflicts).toMatchObject([{ property, verdict: 'contradicts' }])

      const verdict = { verdict: 'accept', conflict_handling: handling, reconciliation_note: 'Settled by its sources.' }
      sure(201, await app.domain.post(`/data/review-workspace/${record.cultural_entity_id}/decide/`, { body: verdict }))

      const after = sure(200, await app.staff.get(at))
      expect(after[property]).toBe([first, second][stands]?.value)
      const claims = after.assertions.filter((it: { property: string }) => it.property === property)
      expect(
        claims.map((it: { value: string; source_citation: string; reconciliation_status: string }) => [
          it.value,
          it.source_citation,
          it.reconciliation_status,
        ]),
      ).toEqual([
        [first.value, first.source, standing],
        [second.value, second.source, claim],
      ])
      expect((await flagsOf(record)).map((it) => it.is_resolved)).toEqual([true])
    },
  )

  test('a claim that someone else makes apart brings the record back before reviewers, and is settled like any other', async () => {
    const record = await publish(app, 'structures', { name: 'Stupa with a rival', construction_date: '1702' })
    const at = `/cidoc/structures/${record.id}/`
    const decide = `/data/review-workspace/${record.cultural_entity_id}/decide/`
    const rival = (asserted_value: string) =>
      app.other.post('/cidoc/assertions/', {
        body: { cultural_entity_id: record.cultural_entity_id, asserted_property: 'construction_date', asserted_value },
      })

    sure(201, await rival('1934'))
    const queue = sure(
      200,
      await app.domain.get('/data/review-queue/', { query: { queue_type: 'conflicts', limit: 100 } }),
    )
    expect(queue.results.map((it: { entity_id: string }) => it.entity_id)).toContain(record.cultural_entity_id)
    expect((await app.anon.get(at)).body.construction_date).toBe('1702')
    sure(
      201,
      await app.domain.post(decide, { body: { verdict: 'reject', feedback: 'The inscription says otherwise.' } }),
    )
    expect((await app.anon.get(at)).body.construction_date).toBe('1702')
    expect((await flagsOf(record)).map((it) => it.is_resolved)).toEqual([true])

    sure(201, await rival('1935'))
    sure(201, await app.domain.post(decide, { body: { verdict: 'accept', conflict_handling: 'supersedes' } }))
    expect((await app.anon.get(at)).body.construction_date).toBe('1935')
    expect((await app.domain.post(decide, { body: { verdict: 'accept' } })).status).toBe(409)
  })
})
