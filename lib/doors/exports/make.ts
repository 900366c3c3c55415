import { now } from '../../base/clock.ts'
import { config } from '../../base/config.ts'
import { isRecordKey, type KindKey, kindKeys, kinds } from '../../domain/kinds/index.ts'
import { walkPublished } from '../../domain/records/published.ts'
import { showRecords } from '../../domain/records/shown.ts'
import { loadLicences } from '../../domain/sources/sources.ts'
import { startUpload, type Upload } from '../../engines/bucket/index.ts'
import type { Quad } from '../../engines/rdf/index.ts'
import { csvLine } from '../../platform/cells/csv.ts'
import { type FragmentMaker, nQuadsAt, startFragments, statementsOfRecord } from '../fragments/build.ts'
import { storeIndex } from '../fragments/stored.ts'
import { DisagreementTally } from './disagreement.ts'
import {
  type ExportedFile,
  type ExportListing,
  keysOf,
  loadListing,
  mediaTypes,
  newFolder,
  publishListing,
  removeEarlierFolders,
  removeOldFolders,
  storeDisagreements,
} from './listing.ts'
import { makeBag } from './make-bag.ts'
import {
  type ExportedRecord,
  exportRecord,
  provenanceCells,
  provenanceColumns,
  recordCells,
  recordColumns,
  sourcesOf,
} from './rows.ts'
import { type Sitemap, startSitemap } from './sitemap.ts'

/** Makes the exports, and deletes those of earlier runs, which may name a person who has left. */
export async function makeExportsAnew(): Promise<void> {
  const alone = { ...(await makeExports()), previous: [] }
  await publishListing(alone)
  await removeEarlierFolders(alone)
}

/**
 * Writes the files of each kind from its public records, then makes them current in one step. If it fails, the earlier files stay
 * current. Equal records give equal bytes. It holds one batch of records in memory.
 */
export async function makeExports(): Promise<ExportListing> {
  const before = await loadListing()
  const folder = newFolder()
  const made_at = now()
  const files: ExportedFile[] = []
  const sitemap = startSitemap(folder)
  const tally = new DisagreementTally()
  const maker = await startFragments()
  try {
    for (const key of kindKeys) files.push(...(await writeKind(key, folder, { sitemap, tally, maker })))
    const fragments = await storeIndex(folder, await maker.store(folder))
    const licence = config.EXPORT_LICENCE || null
    const bag = await makeBag(folder, { files, made_at, licence })
    const previous = before ? keysOf(before) : []
    const listing = { made_at, licence, files, bag, sitemap: await sitemap.end(), fragments, previous }
    await storeDisagreements(tally.result(made_at))
    await publishListing(listing)
    await removeOldFolders(listing)
    return listing
  } finally {
    await maker.close()
  }
}

/** One file of a kind: `head` is its first line, `lines` turns one record into further lines. */
type Sheet = Pick<ExportedFile, 'name' | 'format' | 'holds'> & {
  head: string
  lines: (record: ExportedRecord, quads: readonly Quad[]) => string[]
}

/**
 * The origin of addresses in exported files: the first host of `ALLOWED_HOSTS` without a wildcard. If there is no such host, or in the
 * stage `local`, it is that of `npm start`.
 */
function exportOrigin(): string {
  const host = config.ALLOWED_HOSTS.find((it) => it !== '*' && !it.startsWith('.'))
  return host === undefined || config.STAGE === 'local' ? 'http://localhost:8000' : `https://${host}`
}

/** What the same walk over the records makes beside the files of kinds. */
type Beside = { sitemap: Sitemap; tally: DisagreementTally; maker: FragmentMaker }

/** Writes the files of a kind. A kind without published records has none. */
async function writeKind(key: KindKey, folder: string, { sitemap, tally, maker }: Beside): Promise<ExportedFile[]> {
  const sheets = sheetsOf(key)
  // `unsent` is text that is written with the next lines. At first it is the head of the file.
  const open: { sheet: Sheet; upload: Upload; rows: number; unsent: string }[] = []
  for await (const published of walkPublished(key)) {
    if (isRecordKey(key)) await sitemap.add(published)
    for (const record of published) await tally.add(record)
    const batch = await showRecords(null, published)
    if (open.length === 0)
      for (const sheet of sheets) {
        const upload = startUpload(`${folder}/${sheet.name}`, mediaTypes[sheet.format])
        open.push({ sheet, upload, rows: 0, unsent: sheet.head })
      }
    const licences = await loadLicences(batch.flatMap((it) => it.assertions.flatMap(sourcesOf)))
    const records = batch.map((it) => ({ record: exportRecord(it, licences), quads: statementsOfRecord(it) }))
    for (const { quads } of records) await maker.add(quads)
    for (const each of open) {
      const lines = records.flatMap(({ record, quads }) => each.sheet.lines(record, quads))
      each.rows += lines.length
      const text = each.unsent + lines.join('')
      each.unsent = ''
      await each.upload.write(text)
    }
  }
  return Promise.all(
    open.map(async ({ sheet: { name, format, holds }, upload, rows }) => ({
      name,
      kind: key,
      format,
      holds,
      rows,
      ...(await upload.end()),
      key: `${folder}/${name}`,
    })),
  )
}

/** The files of a kind. A record becomes one line of JSON, one row of CSV, a row for each of its claims, and a line for each statement. */
function sheetsOf(key: KindKey): Sheet[] {
  const columns = csvLine(recordColumns(kinds[key]))
  const origin = exportOrigin()
  return [
    {
      name: `${key}.jsonl`,
      format: 'jsonl',
      holds: 'records',
      head: '',
      lines: (record) => [`${JSON.stringify(record)}\n`],
    },
    {
      name: `${key}.csv`,
      format: 'csv',
      holds: 'records',
      head: columns,
      lines: (record) => [csvLine(recordCells(record))],
    },
    {
      name: `${key}-provenance.csv`,
      format: 'csv',
      holds: 'provenance',
      head: csvLine(provenanceColumns),
      lines: (record) => provenanceCells(record).map(csvLine),
    },
    {
      name: `${key}.nq`,
      format: 'nq',
      holds: 'records',
      head: '',
      lines: (_, quads) => nQuadsAt(quads, origin).split(/(?<=\n)/),
    },
  ]
}
