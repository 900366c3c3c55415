import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as v from 'valibot'
import { type Kind, kindOfScope } from '../../lib/domain/kinds/index.ts'
import { distanceInMetres } from '../../lib/engines/matching/geo.ts'
import type { App, Persona } from '../harness/app.ts'
import { print, say } from './tools/table.ts'

const directory = join(process.cwd(), '../shared/data')
const files = ['conflicts.jsonl', 'conflicts.osm.jsonl'].map((name) => join(directory, name))
const Claim = v.object({
  record_id: v.string(),
  record_kind: v.string(),
  record_name: v.string(),
  property: v.string(),
  value: v.unknown(),
})
const Conflict = v.object({
  subject: v.string(),
  conflict_type: v.string(),
  same_entity: v.union([v.boolean(), v.string()]),
  claims: v.array(Claim),
})
type Conflict = v.InferOutput<typeof Conflict>
type Claim = v.InferOutput<typeof Claim>

/** What the conflict check says to the real claims of two sources about one thing, and to the traps. Everything goes through the endpoints. */
export async function benchConflicts(): Promise<void> {
  if (!files.every((file) => existsSync(file))) {
    say('Conflicts: skipped, since ../shared/data is not here.')
    return
  }
  const { openApp } = await import('../harness/app.ts')
  const app = await openApp({ env: { LOG_LEVEL: 'silent' } })
  const conflicts = files.flatMap((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => v.parse(Conflict, JSON.parse(line))),
  )
  await values(
    app,
    conflicts.filter((it) => it.same_entity === true),
  )
  await likenesses(app, conflicts)
}

type Seen = { disagree: number; caught: number; agree: number; alarms: number }

/** Each later claim of a conflict is made against the first, which stands in an accepted record. */
async function values(app: App, conflicts: readonly Conflict[]): Promise<void> {
  const seen = new Map<string, Seen>()
  for (const { conflict_type, claims } of conflicts) {
    const [standing, ...rivals] = claims.flatMap((it) => comparable(it) ?? [])
    if (!standing) continue
    for (const rival of rivals.filter((it) => it.field === standing.field)) {
      const record = await accepted(app, standing.kind, standing.field, standing.value)
      if (!record) continue
      const claim = {
        entity_type: standing.kind.key,
        entity_id: record.id,
        asserted_property: rival.field,
        asserted_value: rival.value,
      }
      if ((await app.other.post('/cidoc/assertions/', { body: claim })).status !== 201) continue
      const flagged = await flags(app.staff, record.cultural_entity_id, 'contradiction')
      const row = seen.get(conflict_type) ?? { disagree: 0, caught: 0, agree: 0, alarms: 0 }
      const really = disagree(conflict_type, standing.value, rival.value)
      seen.set(conflict_type, {
        disagree: row.disagree + Number(really),
        caught: row.caught + Number(really && flagged),
        agree: row.agree + Number(!really),
        alarms: row.alarms + Number(!really && flagged),
      })
    }
  }
  const all = [...seen.values()].reduce((sum, it) => ({
    disagree: sum.disagree + it.disagree,
    caught: sum.caught + it.caught,
    agree: sum.agree + it.agree,
    alarms: sum.alarms + it.alarms,
  }))
  print(
    'Contradictions between two sources, by type',
    [...seen, ['all', all] as const].map(([type, it]) => ({ type, ...it })),
  )
  summary(all)
}

/** The two sides of a conflict are contributed as records of their own. */
async function likenesses(app: App, conflicts: readonly Conflict[]): Promise<void> {
  const places = new Map(
    rowsIn(readdirSync(directory).filter((name) => !/^(conflicts|search)/.test(name))).map((it) => [
      it.id,
      it.coordinates,
    ]),
  )
  const total = { disagree: 0, caught: 0, agree: 0, alarms: 0 }
  const pairs = conflicts.filter((it) =>
    ['name_variant', 'same_name_different_place', 'near_but_different'].includes(it.conflict_type),
  )
  for (const { claims, same_entity, conflict_type } of pairs) {
    const [first, second] = claims
    const kind = kindOfScope(first?.record_kind ?? '')
    if (!first || !second || !kind || second.record_kind !== first.record_kind) continue
    const place = (it: Claim) => ({ coordinates: it.property === 'coordinates' ? it.value : places.get(it.record_id) })
    await made(app.contributor, kind, { name: first.record_name, ...place(first) })
    const rival = await made(app.other, kind, { name: second.record_name, ...place(second) })
    if (!rival) continue
    const flagged = await flags(app.staff, rival.cultural_entity_id, 'suspected_duplicate')
    const alike = same_entity === true && conflict_type === 'name_variant'
    total.disagree += Number(alike)
    total.caught += Number(alike && flagged)
    total.agree += Number(!alike)
    total.alarms += Number(!alike && flagged)
  }
  print('Look-alikes among contributions: one thing under two names, and traps', [
    { pairs: 'one thing', count: total.disagree, flagged: total.caught },
    { pairs: 'traps', count: total.agree, flagged: total.alarms },
  ])
  summary(total)
}

function summary({ disagree: real, caught, alarms }: Seen): void {
  const precision = caught + alarms === 0 ? 1 : caught / (caught + alarms)
  say(`precision ${precision.toFixed(2)}, recall ${(real === 0 ? 1 : caught / real).toFixed(2)}`)
}

const Row = v.object({ id: v.string(), coordinates: v.optional(v.string()) })
/** The rows of these files, as far as they are looked at here. */
const rowsIn = (names: readonly string[]) =>
  names
    .filter((name) => name.endsWith('.jsonl'))
    .flatMap((name) => readFileSync(join(directory, name), 'utf8').split('\n').filter(Boolean))
    .map((line) => v.parse(Row, JSON.parse(line)))

/** A claim about a member that its kind has, as text. */
function comparable({ record_kind, property, value }: Claim) {
  const kind = kindOfScope(record_kind === 'calendar_system' ? 'calendar' : record_kind)
  const text = Array.isArray(value) ? value.join(', ') : value
  return kind?.fields[property] && typeof text === 'string' && property !== 'name'
    ? { kind, field: property, value: text }
    : undefined
}

/** What the sources' own facts say: points that lie more than 150 m apart disagree, and so does whatever is called a conflict and no control. */
function disagree(type: string, a: string, b: string): boolean {
  const [from, to] = [a, b].map((text) => text.split(',').map(Number))
  if (type === 'coordinates') {
    return (
      distanceInMetres({ lat: from?.[0] ?? 0, lng: from?.[1] ?? 0 }, { lat: to?.[0] ?? 0, lng: to?.[1] ?? 0 }) > 150
    )
  }
  return !['agreement_control', 'identity_link'].includes(type)
}

async function accepted(app: App, kind: Kind, field: string, value: string) {
  counter += 1
  const record = await made(app.contributor, kind, { name: `Bench ${counter} ${kind.key}`, [field]: value })
  const decided =
    record &&
    (await app.community.post(`/data/review-workspace/${record.cultural_entity_id}/decide/`, {
      body: { verdict: 'accept' },
    }))
  return decided?.status === 201 ? record : undefined
}
let counter = 0

async function made(
  who: Persona,
  kind: Kind,
  body: object,
): Promise<{ id: number; cultural_entity_id: string } | undefined> {
  const answer = await who.post(kind.apiEndpoint, { body })
  return answer.status === 201 ? answer.body : undefined
}

async function flags(who: Persona, entity: string, type: string): Promise<boolean> {
  const { body } = await who.get(`/data/review-workspace/${entity}/`)
  return body.flags.some((it: { flag_type: string }) => it.flag_type === type)
}
