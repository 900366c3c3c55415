import { setTimeout as sleep } from 'node:timers/promises'
import type { Persona } from './app.ts'
import { sure } from './make.ts'

/** Sends tables and takes the steps of imports, with the worker in this process or that of a running service. */

/** Runs the worker until no import is at work, 20 times at most. */
export async function work(): Promise<void> {
  const { handler } = await import('../../functions/importer.ts')
  for (let visit = 0; visit < 20; visit += 1) {
    const { ended, running } = await handler()
    if (running === 0 || (ended === 0 && visit > 5)) return
  }
}

/** Sends a table in a form. */
export function sendTable(who: Persona, name: string, bytes: string | Uint8Array) {
  const body = new FormData()
  body.set('file', new File([typeof bytes === 'string' ? bytes : new Uint8Array(bytes)], name))
  return who.post('/data/imports/', { body })
}

/** Waits until the worker of a running service has ended the task of an import. */
async function waitForService(who: Persona, id: string): Promise<void> {
  for (const until = Date.now() + 60_000; Date.now() < until; await sleep(50)) {
    const { progress } = sure(200, await who.get(`/data/imports/${id}/`))
    if (progress === null) return
  }
  throw new Error(`The import ${id} is still at work.`)
}

/** The steps of an import. Each returns after its task has ended, for which `settle` waits. */
function stepsWith(settle: (who: Persona, id: string) => Promise<void>) {
  /** Starts a task. Returns the import as it is after the task. */
  async function done(who: Persona, id: string, task: string, body: object = {}) {
    sure(200, await who.post(`/data/imports/${id}/${task}/`, { body }))
    await settle(who, id)
    return sure(200, await who.get(`/data/imports/${id}/`))
  }

  /** Sends a table. Returns the import after the worker has read the table. */
  async function readTable(who: Persona, name: string, bytes: string | Uint8Array) {
    const { id } = sure(201, await sendTable(who, name, bytes))
    await settle(who, id)
    return sure(200, await who.get(`/data/imports/${id}/`))
  }

  /** Sends a table, changes the import by `part`, and checks it. Returns the import after its dry run. */
  async function checkTable(who: Persona, name: string, bytes: string | Uint8Array, part?: object) {
    const { id } = await readTable(who, name, bytes)
    if (part) sure(200, await who.patch(`/data/imports/${id}/`, { body: part }))
    return done(who, id, 'check')
  }
  return { done, readTable, checkTable }
}

export type ImportSteps = ReturnType<typeof stepsWith>

/** The steps of tests that call handlers. The worker runs in this process. */
export const localSteps = stepsWith(work)
export const { done, readTable, checkTable } = localSteps

/** The steps against a running service, whose own worker does the tasks. */
export const remoteSteps = stepsWith(waitForService)

/** Lists the first 100 rows of an import. */
export const rowsIn = async (who: Persona, id: string, query: Record<string, string | number> = {}) =>
  sure(200, await who.get(`/data/imports/${id}/rows/`, { query: { limit: 100, ...query } })).results

/** Writes rows as CSV. */
export const csv = (rows: readonly (readonly (string | number)[])[]): string =>
  rows
    .map((row) => row.map((it) => (/[",\n]/.test(String(it)) ? `"${String(it).replaceAll('"', '""')}"` : it)).join(','))
    .join('\r\n')

/** Writes rows as an XLSX file with one sheet. */
export async function xlsx(rows: readonly (readonly (string | number | boolean | Date | null)[])[], name = 'Sheet1') {
  const { writeXlsx } = await import('hucre/xlsx')
  return writeXlsx({ sheets: [{ name, rows: rows.map((row) => [...row]) }] })
}

/** Writes rows as an ODS file with one sheet. */
export async function ods(rows: readonly (readonly (string | number | boolean | Date | null)[])[], name = 'Sheet1') {
  const { writeOds } = await import('hucre/ods')
  return writeOds({ sheets: [{ name, rows: rows.map((row) => [...row]) }] })
}
