import { writeXlsx } from 'hucre/xlsx'
import { commonJobs, imports, type Job, ordered } from './background.ts'
import { fileForm, patch, post } from './operation.ts'
import { taken } from './steps.ts'
import { moduleIn } from './world/processes.ts'
import { WORKERS } from './world/world.ts'

/** Files of other sorts that an import reads, or cannot read. */
const ROWS = [
  ['Temple name', 'Year built'],
  ['Chyasilin Mandap', '1990'],
  ['Yaksheshvara Temple', '1482'],
  ['Nyatapola', '1702'],
]
const WORKBOOK = Buffer.from(await writeXlsx({ sheets: [{ name: 'Temples', rows: ROWS }] }))
/** It begins as a workbook does, and is none. */
const TORN = WORKBOOK.subarray(0, 400)

/** Rows that are decided on together, and are more than one transaction holds; two of them name one new place. */
const NAMES =
  'Arghakhanchi Baglung Chitwan Dolakha Gulmi Humla Ilam Jajarkot Kailali Lamjung Mustang Nuwakot Okhaldhunga Palpa Rautahat Sindhuli Taplejung Udayapur'.split(
    ' ',
  )
const LONG_TABLE = [
  'Temple name,Latitude,Longitude,Year built,Location,Source',
  ...NAMES.map(
    (name, n) => `${name},${26 + n / 4},${80 + n / 2},1${500 + 37 * n},Old ${NAMES[Math.max(1, n)]},${name} survey`,
  ),
].join('\r\n')

const reading = (name: string, bytes: Uint8Array, ends = 'read'): Job => ({
  name,
  does: 'importer',
  minutes: 3,
  before: async (world) => {
    await taken(world, [post('dev', '/data/imports/', fileForm(bytes, 'temples.xlsx', 'application/octet-stream'))])
    await world.settle()
  },
  outcome: async (world) => {
    const all = await imports(world)
    if (all.at(0)?.state !== ends) throw new Error(`it is ${JSON.stringify(all)} and not ${ends}`)
    return all
  },
})

/** Tables whose reports come in several parts: a word is longer than a part, before the end and at it. */
const LONG = 'Long ago. '.repeat(130)
const tableOf = (...remarks: readonly string[]) =>
  Buffer.from(
    [['Temple name', 'Remark'], ...remarks.map((it, i) => [`Temple ${'ABCDEF'[i]}`, it])]
      .map((cells) => cells.join(','))
      .join('\r\n'),
  )
const CHECKED = { mapping: { kind: 'structure', rules: [{ field: 'name', column: 'Temple name' }] } }

const trying = (name: string, bytes: Uint8Array): Job => ({
  ...reading(name, bytes, 'checked'),
  before: async (world) => {
    const made = await taken(world, [post('dev', '/data/imports/', fileForm(bytes, 'temples.csv', 'text/csv'))])
    await world.function('importer')
    const path = `/data/imports/${made[0]?.body.id}/`
    await taken(world, [
      patch('dev', path, { mapping: { ...CHECKED.mapping, sheet: 0, header_row: 1 } }),
      post('dev', `${path}check/`),
    ])
    await world.settle()
  },
})

/** The bucket gave nothing when it was first tried. */
const failedOnce: Job = {
  ...reading('read a table that could not be read at first', tableOf('Short', 'Short')),
  before: async (world) => {
    const bytes = tableOf('Short', 'Short')
    await taken(world, [post('dev', '/data/imports/', fileForm(bytes, 'temples.csv', 'text/csv'))])
    await world.function('importer', undefined, ({ command, attempt }) =>
      command === 'S3 GET' && attempt > 0 ? 'refused' : undefined,
    )
    await world.settle()
  },
}

/** Whoever works on imports has time for some calls of the table only, and others go on. */
const hurried = (job: Job): Job => ({
  ...job,
  name: `${job.name} in little time`,
  does: async () =>
    (await moduleIn(WORKERS, 'lib/domain/imports/work.ts')).continueImports(performance.now() + LITTLE_MS),
})
const LITTLE_MS = 12

export const importJobs: readonly Job[] = [
  trying('try a table with a long word', tableOf('Short', LONG, 'Short')),
  trying('try a table that ends with a long word', tableOf('Short', 'Short', LONG)),
  failedOnce,
  {
    name: 'try a long table',
    does: 'importer',
    minutes: 3,
    before: (world) => ordered(world, ['check'], LONG_TABLE),
    outcome: imports,
  },
  ...commonJobs.filter(({ name }) => /^(run|decide on|withdraw) a table$/.test(name)).map(hurried),
  reading('read a workbook', WORKBOOK),
  reading('read what is no workbook', TORN, 'failed'),
  {
    name: 'decide on a long table',
    does: 'importer',
    minutes: 3,
    before: async (world) => {
      const id = await ordered(world, ['check', 'run'], LONG_TABLE)
      await world.function('importer')
      await taken(world, [post('curator', `/data/imports/${id}/decide/`, { verdict: 'accept' })])
      await world.settle()
    },
    outcome: imports,
  },
]
