import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { now } from '../../../lib/base/clock.ts'
import { Problem } from '../../../lib/base/errors.ts'
import { isShortId, shortDigest } from '../../../lib/base/ids/short-id.ts'
import { longMembers, submissionMembers, submissionStatuses } from '../../../lib/domain/submissions/members.ts'
import { importSubmission, type SubmissionInput } from '../../../lib/domain/submissions/submissions.ts'
import { loadUserByEmail, loadUserByUsername } from '../../../lib/platform/users/users.ts'
import type { Aside, Fault } from './draft.ts'
import { type Report, type Result, reportOf } from './report.ts'

/** One line of a file: an object, or why it is not one. */
export type OldRow = { file: string; line: number } & ({ row: Row } | { fault: string })
type Row = Readonly<Record<string, unknown>>

/** The lines of JSON Lines files, without blank ones. Fails if a file cannot be read. */
export async function readOldRows(paths: readonly string[]): Promise<OldRow[]> {
  const files = await Promise.all(paths.map(async (path) => oldRowsIn(basename(path), await readFile(path, 'utf8'))))
  return files.flat()
}

/** The lines of a text in JSON Lines. */
export const oldRowsIn = (file: string, content: string): OldRow[] =>
  content
    .replace(/^\ufeff/, '')
    .split(/\r?\n/)
    .map((text, index) => ({ text, file, line: index + 1 }))
    .filter(({ text }) => text.trim() !== '')
    .map(({ text, ...at }) => ({ ...at, ...read(text) }))

function read(text: string): { row: Row } | { fault: string } {
  try {
    const row: unknown = JSON.parse(text)
    return isObject(row) ? { row } : { fault: 'The line is no object.' }
  } catch {
    return { fault: 'The line is not JSON.' }
  }
}

const isObject = (it: unknown): it is Row => typeof it === 'object' && it !== null && !Array.isArray(it)

type Options = { lenient?: boolean; concurrency?: number; signal?: AbortSignal | undefined; advance?: () => void }

/**
 * Writes legacy submissions straight into the table. Returns what became of each row. Existing submissions are left alone. Stops when the
 * signal says so.
 */
export async function importSubmissions(offered: readonly OldRow[], options: Options = {}): Promise<Report> {
  const { lenient = false, concurrency = 8, signal, advance } = options
  const contributors = new Map<string, Promise<string | undefined>>()
  const contributorOf = (name: string) => {
    const asked = contributors.get(name) ?? idOf(name)
    contributors.set(name, asked)
    return asked
  }
  const results: Result[] = []
  const rows = offered.entries()
  const worker = async () => {
    for (const [index, one] of rows) {
      results[index] = signal?.aborted
        ? { ...blank(one), outcome: 'not_reached' }
        : await resultOf(one, contributorOf, lenient).catch((error: unknown) => failedResult(one, error))
      advance?.()
    }
  }
  await Promise.all(Array.from({ length: concurrency }, worker))
  return reportOf(results)
}

/** The id of the user with this email address or username. */
const idOf = async (name: string): Promise<string | undefined> =>
  (await (name.includes('@') ? loadUserByEmail(name) : loadUserByUsername(name)))?.id

const blank = (one: OldRow): Omit<Result, 'outcome'> => ({
  file: one.file,
  line: one.line,
  id: 'row' in one ? textOf(one.row.submission_id) : '',
  kind: 'submission',
  reasons: [],
  asides: [],
})

const failedResult = (one: OldRow, error: unknown): Result => ({
  ...blank(one),
  // A `Problem` means that the row is at fault, unless the table was unavailable.
  outcome: error instanceof Problem && error.code !== 'unavailable' ? 'refused' : 'failed',
  reasons: [{ member: '', reason: error instanceof Problem ? saidBy(error) : String(error) }],
})
const saidBy = ({ fields, detail }: Problem) => (fields ? Object.values(fields).flat().join(' ') : detail)

async function resultOf(
  one: OldRow,
  contributorOf: (name: string) => Promise<string | undefined>,
  lenient: boolean,
): Promise<Result> {
  if ('fault' in one) return { ...blank(one), outcome: 'refused', reasons: [{ member: '', reason: one.fault }] }
  const { old, faults, asides } = oldOf(one.row, lenient)
  const name = textOf(one.row.contributor_username) || textOf(one.row.contributor)
  const contributor_id = name === '' ? undefined : await contributorOf(name)
  if (name === '') faults.push({ member: 'contributor', reason: 'Give an email address or a username.' })
  else if (!contributor_id)
    faults.push({ member: `contributor ${JSON.stringify(name)}`, reason: 'There is no such user.' })
  if (faults.length > 0 || !contributor_id) return { ...blank(one), outcome: 'refused', reasons: faults }
  const given = canonical({ ...old, contributor_id })
  const { made, submission } = await importSubmission({
    ...old,
    contributor_id,
    submission_id: old.submission_id || shortDigest(given),
    row_hash: createHash('sha256').update(given).digest('hex'),
    created_at: old.created_at || now(),
  })
  return {
    ...blank(one),
    id: submission.submission_id,
    outcome: made ? 'created' : 'already_there',
    record: { kind: 'submission', id: submission.id },
    asides,
  }
}

/** JSON with members sorted by name, so that equal content gives equal text. */
function canonical(it: unknown): string {
  return JSON.stringify(it, (_, value: unknown) =>
    isObject(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value,
  )
}

const LONGEST = 20_000
const MOST_DATA = 50_000

/** Reads a row: its submission, and its faults. */
function oldOf(row: Row, lenient: boolean) {
  const faults: Fault[] = []
  const asides: Aside[] = []
  const wrong = (member: string, reason: string) => {
    faults.push({ member, reason })
  }
  const text = (member: string, most: number, required = false): string => {
    const value = row[member]
    if (value === undefined || value === null || value === '') {
      if (required) wrong(member, 'This member is required.')
      return ''
    }
    const said = typeof value === 'number' ? String(value) : value
    if (typeof said !== 'string') wrong(member, 'Not a text.')
    else if (/[^\P{Cc}\t\n\r]|\p{Cs}/u.test(said)) wrong(member, 'Control characters are not allowed.')
    else if ([...said].length > most) wrong(member, `No more than ${most} characters.`)
    else if (required && said.trim() === '') wrong(member, 'This member is required.')
    else return said.normalize('NFC')
    return ''
  }

  const submission_id = text('submission_id', 11)
  if (submission_id !== '' && !isShortId(submission_id)) wrong('submission_id', 'Eleven letters and digits are wanted.')
  const status = submissionStatuses.find((it) => it === (text('status', 20) || 'pending'))
  if (!status) wrong('status', `Choose one of: ${submissionStatuses.join(', ')}.`)
  const created_at = dateOf(text('created_at', 40))
  if (created_at === undefined) wrong('created_at', 'A date in ISO 8601 with its offset is wanted.')
  const data = row.contribution_data ?? {}
  if (!isObject(data)) wrong('contribution_data', 'An object is wanted.')

  const members = Object.fromEntries(
    submissionMembers.flatMap((name) => {
      const value = text(name, isLong(name) ? LONGEST : 255)
      return value === '' ? [] : [[name, value]]
    }),
  )
  const others = Object.keys(row).filter((name) => !known.has(name))
  for (const member of others) {
    if (lenient) asides.push({ member, value: textOfValue(row[member]), reason: 'There is no such member.' })
    else wrong(member, 'There is no such member.')
  }
  const kept = Object.fromEntries(lenient ? others.map((name) => [name, row[name]]) : [])
  const contribution_data = canonical({ ...(isObject(data) ? data : {}), ...kept })
  if (Buffer.byteLength(contribution_data) > MOST_DATA) wrong('contribution_data', `No more than ${MOST_DATA} bytes.`)

  const old: Omit<SubmissionInput, 'contributor_id' | 'row_hash'> = {
    submission_id,
    title: text('title', 255, true),
    description: text('description', LONGEST, true),
    contribution_type: text('contribution_type', 100),
    contribution_data,
    members,
    cultural_heritage: text('cultural_heritage', 100) || null,
    status: status ?? 'pending',
    created_at: created_at ?? '',
  }
  return { old, faults, asides }
}

/** A time in UTC. Empty if the text is empty, undefined if it is no date or time. */
function dateOf(text: string): string | undefined {
  if (text === '') return ''
  const fits = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/.test(text)
  const at = fits ? new Date(text) : undefined
  return at && !Number.isNaN(at.getTime()) ? at.toISOString() : undefined
}

const textOfValue = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))
const textOf = (value: unknown) => (typeof value === 'string' ? value.trim() : '')
const isLong = (name: string) => longMembers.some((it) => it === name)
/** The members that a row may have. `id` is the number in the old table and is ignored. */
const known = new Set<string>([
  ...submissionMembers,
  'id',
  'submission_id',
  'title',
  'description',
  'contributor',
  'contributor_username',
  'status',
  'created_at',
  'contribution_type',
  'contribution_data',
  'cultural_heritage',
])
