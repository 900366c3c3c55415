import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { parse } from 'csv-parse/sync'
import type { Service } from './service.ts'
import { type Suite, say, versionIn } from './suite.ts'

/** Lists that are read as tables. */
const LISTS = ['structures', 'deities', 'persons', 'festivals', 'sources']
/** Comma, quote, UTF-8, from the first line; all cells as text, so that nothing is read as a number or a formula. */
const AS_CSV = 'csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,false'

export const libreOffice: Suite = {
  name: 'LibreOffice: tables that it reads, and tables that it writes',
  install: 'apt-get install libreoffice-calc',
  run: async ({ folder, service }) => {
    const version = await say('soffice', ['--version'])
    if (version === undefined) return undefined
    const at = join(folder, 'tables')
    await mkdir(at, { recursive: true })
    const running = await service()
    const failures: string[] = []
    let cases = 0
    for (const list of LISTS) {
      const look = async (what: string, found: unknown, expected: unknown) => {
        cases += 1
        if (!isDeepStrictEqual(found, expected)) failures.push(`${list}, ${what}: ${differenceOf(found, expected)}`)
      }
      const csv = await tableOf(running, list, 'csv')
      const rows = cellsIn(csv)
      const book = join(at, `${list}.xlsx`)
      await writeFile(book, await tableOf(running, list, 'xlsx'))
      await look('its workbook as it is read', cellsIn(await convert(book, AS_CSV)), rows)
      const ours = await rowsTaken(running, `${list}.csv`, csv)
      for (const format of ['ods', 'xlsx']) {
        const written = await convert(book, format, join(at, format))
        await look(`as ${format} of its own, taken back`, await rowsTaken(running, `${list}.${format}`, written), ours)
      }
    }
    return { version: versionIn(version), cases: `${cases} tables`, failures, known: new Map() }
  },
}

async function tableOf({ address }: Service, list: string, format: string): Promise<Uint8Array<ArrayBuffer>> {
  const answer = await fetch(`${address}/cidoc/${list}/?format=${format}&limit=100`)
  if (!answer.ok) throw new Error(`${list} as ${format} was answered ${answer.status}`)
  return new Uint8Array(await answer.arrayBuffer())
}

const cellsIn = (csv: Uint8Array): string[][] =>
  parse(Buffer.from(csv), { bom: true, relax_column_count: true }).map((row: string[]) =>
    row.map((cell) => cell.replaceAll('\r\n', '\n')),
  )

/** A file in another format, made by LibreOffice with a profile of its own. */
async function convert(file: string, format: string, to = join(file, '..', 'out')): Promise<Uint8Array<ArrayBuffer>> {
  const profile = `-env:UserInstallation=file://${join(file, '..', 'profile')}`
  await say('soffice', [profile, '--headless', '--convert-to', format, '--outdir', to, file])
  const extension = format.split(':')[0]
  return Uint8Array.from(
    await readFile(
      join(
        to,
        `${file
          .split('/')
          .at(-1)
          ?.replace(/\.\w+$/, '')}.${extension}`,
      ),
    ),
  )
}

/** How an import understands a table: its columns, and the first rows with their cells. */
async function rowsTaken({ ask }: Service, name: string, bytes: Uint8Array<ArrayBuffer>): Promise<unknown> {
  const form = new FormData()
  form.set('file', new File([bytes], name))
  const { id } = await ask('dev', 'POST', '/data/imports/', form)
  for (let attempt = 0; attempt < 120; attempt += 1) {
    const it = await ask('dev', 'GET', `/data/imports/${id}/`)
    if (it.progress === null) return { kind: it.kind, columns: it.columns, state: it.state, failed: it.failed }
    await sleep(250)
  }
  throw new Error(`${name} is still being read.`)
}

/** The first place in which two tables differ, as far as a line shows it. */
function differenceOf(found: unknown, expected: unknown): string {
  if (!Array.isArray(found) || !Array.isArray(expected))
    return `${JSON.stringify(found)?.slice(0, 300)} instead of ${JSON.stringify(expected)?.slice(0, 300)}`
  const row = expected.findIndex((it, i) => !isDeepStrictEqual(it, found[i]))
  if (row < 0) return `${found.length} rows instead of ${expected.length}`
  const [ours, theirs] = [expected[row], found[row] ?? []]
  const cell = ours.findIndex((it: string, i: number) => it !== theirs[i])
  return `row ${row + 1}, cell ${cell + 1}: ${JSON.stringify(theirs[cell])} instead of ${JSON.stringify(ours[cell])}`
}
