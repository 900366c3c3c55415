import { issueTokens } from '../../../lib/platform/auth/jwt.ts'
import { inUnit } from '../../../lib/platform/unit-of-work.ts'
import { loadUserByEmail } from '../../../lib/platform/users/users.ts'
import { type Caller, callerOf, detailOf } from '../import/client.ts'
import type { Result } from '../import/report.ts'
import { offer, type Row } from '../import/rows.ts'
import { importRows } from '../import/run.ts'
import { foundations } from './foundations.ts'
import { happenings } from './happenings.ts'
import { inProcess } from './in-process.ts'
import { last, things } from './things.ts'
import { contestedRow, declinedRow, edit, questionedRow, rival, twinRow, waitingRows } from './unsettled.ts'

/**
 * Makes the demonstration records as people would: through the API, by two contributors and a reviewer. Existing records are left
 * alone. If a record is refused, throws and names it.
 */
export async function demonstrate(): Promise<void> {
  const [dev, other, reviewer] = await Promise.all(['dev', 'other', 'reviewer'].map(signedIn))
  if (!dev || !other || !reviewer) throw new Error('The users of the local stage are missing.')
  const take = (contributor: Caller, rows: readonly Row[], accept = true) =>
    importWhole(contributor, reviewer, rows, accept)
  const judge = async ([result]: readonly Result[], verdict: string, feedback: string) => {
    if (result?.outcome !== 'created') return
    checkDone(await reviewer.post(`/data/review-workspace/${result.record?.entity_id}/decide/`, { verdict, feedback }))
  }

  await take(dev, foundations)
  const accepted = await take(other, things)
  await take(dev, happenings)
  await take(other, waitingRows, false)
  await judge(
    await take(dev, [questionedRow], false),
    'request_changes',
    'Which of the two towers did he build? Please name the source for the tower as well.',
  )
  await judge(
    await take(other, [declinedRow], false),
    'reject',
    'This is a legend. Record it as a tradition, with the chronicle that tells it.',
  )
  const [tower] = await take(dev, [contestedRow])
  checkDone(await dev.patch(`/cidoc/structures/${tower?.record?.id}/`, edit))
  await take(other, [twinRow], false)
  const about = { entity_type: 'structure', entity_id: tower?.record?.id }
  if (tower?.outcome === 'created') checkDone(await other.post('/cidoc/assertions/', { ...about, ...rival }))
  await plan(
    dev,
    accepted.flatMap((it) => it.record?.entity_id ?? []),
  )
  await take(other, [last])
}

/** Makes a public project about the first records, without files. Does nothing if it exists. */
async function plan(owner: Caller, records: readonly string[]): Promise<void> {
  const slug = 'towers-and-temples'
  const { status } = await owner.get(`/data/projects/${slug}/`)
  if (status === 200) return
  checkDone(
    await owner.post('/data/projects/', {
      slug,
      title: 'Towers and temples of the old towns',
      intended_subject: 'Architecture',
      visibility: 'public',
      abstract: 'What stands, what stood, and who built it.',
      tags: ['architecture'],
      languages: ['en', 'ne'],
    }),
  )
  for (const entity of records.slice(0, 6))
    checkDone(await owner.post(`/data/projects/${slug}/entities/`, { entity, role_in_project: '' }))
}

async function signedIn(name: string): Promise<Caller | undefined> {
  const user = await loadUserByEmail(`${name}@heritage.test`)
  if (!user) return undefined
  const { access } = await inUnit((unit) => issueTokens(unit, user))
  return callerOf({ token: access }, { base: 'http://localhost:8000', send: inProcess })
}

async function importWhole(
  contributor: Caller,
  reviewer: Caller,
  rows: readonly Row[],
  accept: boolean,
): Promise<readonly Result[]> {
  const report = await importRows(offer('demonstration', rows), { contributor, reviewer, accept })
  const lost = report.rows.filter((row) => row.reasons.length > 0 || row.asides.length > 0)
  if (lost.length > 0) throw new Error(`Demonstration records were not taken as they are: ${JSON.stringify(lost)}`)
  return report.rows
}

function checkDone({ status, body }: { status: number; body: unknown }): void {
  if (status >= 300) throw new Error(`A demonstration step was answered ${status}: ${detailOf(body)}`)
}
