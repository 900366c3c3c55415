import { writeXlsx } from 'hucre/xlsx'
import { imports, type Job, ordered } from './background.ts'
import { fileForm, post } from './operation.ts'
import { taken } from './steps.ts'

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

/** Rows that are written together, and are more than one transaction holds; two of them name one new place. */
const LONG = [
  'Temple name,Latitude,Longitude,Year built,Location,Source',
  ...[1, 2, 3, 4, 5, 6].map((n) => `Mandap ${n},27.6${n}1,85.4${n}2,170${n},Tole ${Math.min(n, 5)},Survey ${n}`),
].join('\r\n')

const reading = (name: string, bytes: Uint8Array): Job => ({
  name,
  does: 'importer',
  minutes: 3,
  before: async (world) => {
    await taken(world, [post('dev', '/data/imports/', fileForm(bytes, 'temples.xlsx', 'application/octet-stream'))])
    await world.settle()
  },
  outcome: imports,
})

export const importJobs: readonly Job[] = [
  reading('read a workbook', WORKBOOK),
  reading('read what is no workbook', TORN),
  {
    name: 'run a long table',
    does: 'importer',
    minutes: 3,
    before: (world) => ordered(world, ['check', 'run'], LONG),
    outcome: imports,
  },
]
