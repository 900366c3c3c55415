import { writeXlsx } from 'hucre/xlsx'
import { imports, type Job } from './background.ts'
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
]
