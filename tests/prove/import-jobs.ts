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

/** Rows that are decided on together, and are more than one transaction holds; two of them name one new place. */
const NAMES =
  'Arghakhanchi Baglung Chitwan Dolakha Gulmi Humla Ilam Jajarkot Kailali Lamjung Mustang Nuwakot Okhaldhunga Palpa Rautahat Sindhuli Taplejung Udayapur'.split(
    ' ',
  )
const LONG = [
  'Temple name,Latitude,Longitude,Year built,Location,Source',
  ...NAMES.map(
    (name, n) => `${name},${26 + n / 4},${80 + n / 2},1${500 + 37 * n},Old ${NAMES[Math.max(1, n)]},${name} survey`,
  ),
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
    name: 'decide on a long table',
    does: 'importer',
    minutes: 3,
    before: async (world) => {
      const id = await ordered(world, ['check', 'run'], LONG)
      await world.function('importer')
      await taken(world, [post('curator', `/data/imports/${id}/decide/`, { verdict: 'accept' })])
      await world.settle()
    },
    outcome: imports,
  },
]
