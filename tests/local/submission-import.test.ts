import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { type App, openApp } from '../harness/app.ts'
import { commandsOf, sure } from '../harness/make.ts'

let app: App
beforeAll(async () => {
  app = await openApp()
})

const file = 'rows.jsonl'
const run = async (text: string, options: object = {}) => {
  const { importSubmissions, oldRowsIn } = await import('../../local/commands/import/submissions.ts')
  return importSubmissions(oldRowsIn(file, text), options)
}
const lines = (...rows: readonly object[]) => rows.map((row) => JSON.stringify(row)).join('\n')
const figures = async (text: string, options?: object) => {
  const { rows: _, ...rest } = await run(text, options)
  return rest
}
const nothing = {
  offered: 0,
  created: 0,
  changed: 0,
  already_there: 0,
  refused: 0,
  failed: 0,
  not_reached: 0,
  accepted: 0,
  not_accepted: 0,
  set_aside: 0,
}
let count = 0
const row = (more: object = {}) => ({
  title: `Row ${++count}`,
  description: 'As it was.',
  contributor: 'dev@heritage.test',
  ...more,
})
const read = async (id: unknown) => sure(200, await app.staff.get(`/data/submissions/${id}/`))

describe('the import of legacy submissions', () => {
  test('stores each row once, however often it runs', async () => {
    const text = lines(row(), row({ submission_id: 'Abc12345678' }), row({ Height: '3 m' }))
    expect(await figures(text)).toEqual({ ...nothing, offered: 3, created: 3 })
    const writes = await commandsOf(async () => {
      expect(await figures(text)).toEqual({ ...nothing, offered: 3, already_there: 3 })
    })
    expect(writes.filter((name) => /Write|Put|Update|Delete/.test(name))).toEqual([])
    expect((await read('Abc12345678')).contributor_username).toBe('dev')
  })

  test('knows a row without an id by what it says, in whatever order it says it', async () => {
    const one = row({ contribution_data: { a: 1, b: 2 } })
    const other = Object.fromEntries(Object.entries({ ...one, contribution_data: { b: 2, a: 1 } }).reverse())
    const { rows } = await run(lines(one, other), { concurrency: 1 })
    expect(rows.map((it) => it.outcome)).toEqual(['created', 'already_there'])
    expect(rows[0]?.id).toBe(rows[1]?.id)
  })

  test('of the same row by many at once stores one', async () => {
    const text = lines(row({ submission_id: 'Many5678901' }))
    const reports = await Promise.all([1, 2, 3, 4].map(() => run(text)))
    expect(reports.map((it) => it.created).sort()).toEqual([0, 0, 0, 1])
    expect(reports.map((it) => it.already_there).sort()).toEqual([0, 1, 1, 1])
    expect(await read('Many5678901')).toMatchObject({ status: 'pending' })
  })

  test('leaves alone what was moderated or changed since', async () => {
    const text = lines(row({ submission_id: 'Moderated01' }))
    await run(text)
    sure(200, await app.staff.patch('/data/moderations/Moderated01/', { body: { status: 'accepted' } }))
    expect((await run(text)).already_there).toBe(1)
    expect((await read('Moderated01')).status).toBe('accepted')
  })

  test('refuses another row of the same id, and says so', async () => {
    await run(lines(row({ submission_id: 'Twice123456' })))
    const [result] = (await run(lines(row({ submission_id: 'Twice123456', title: 'Other' })))).rows
    expect(result).toMatchObject({
      outcome: 'refused',
      line: 1,
      reasons: [{ member: '', reason: 'A submission of this id with other values is there.' }],
    })
    expect((await read('Twice123456')).title).not.toBe('Other')
  })

  test('finds contributors by address or username, in any letter case', async () => {
    const { rows } = await run(
      lines(row({ contributor: 'OTHER@heritage.test' }), row({ contributor: 'Other' }), {
        ...row({ contributor: '17' }),
        contributor_username: 'other',
      }),
    )
    for (const { id } of rows) expect((await read(id)).contributor_username).toBe('other')
  })

  const control = 'a\u0000b'
  test.each([
    [{ contributor: 'nobody@example.org' }, 'contributor "nobody@example.org"', 'There is no such user.'],
    [{ contributor: 'nobody' }, 'contributor "nobody"', 'There is no such user.'],
    [{ contributor: '' }, 'contributor', 'Give an email address or a username.'],
    [{ title: '' }, 'title', 'This member is required.'],
    [{ title: ' ' }, 'title', 'This member is required.'],
    [{ title: 'x'.repeat(256) }, 'title', 'No more than 255 characters.'],
    [{ title: ['x'] }, 'title', 'Not a text.'],
    [{ description: null }, 'description', 'This member is required.'],
    [{ description: control }, 'description', 'Control characters are not allowed.'],
    [{ Height: 'x'.repeat(256) }, 'Height', 'No more than 255 characters.'],
    [{ Details: 'x'.repeat(20_001) }, 'Details', 'No more than 20000 characters.'],
    [{ status: 'published' }, 'status', 'Choose one of: pending, accepted, rejected, review.'],
    [{ submission_id: 'short' }, 'submission_id', 'Eleven letters and digits are wanted.'],
    [{ submission_id: 'with#mark01' }, 'submission_id', 'Eleven letters and digits are wanted.'],
    [{ created_at: 'yesterday' }, 'created_at', 'A date in ISO 8601 with its offset is wanted.'],
    [{ created_at: '2020-13-01' }, 'created_at', 'A date in ISO 8601 with its offset is wanted.'],
    [{ contribution_data: [] }, 'contribution_data', 'An object is wanted.'],
    [{ contribution_data: { x: 'y'.repeat(50_000) } }, 'contribution_data', 'No more than 50000 bytes.'],
    [{ height: '3 m' }, 'height', 'There is no such member.'],
  ])('refuses %j with the reason', async (more, member, reason) => {
    const report = await run(lines(row(more)))
    expect(report).toMatchObject({ refused: 1, created: 0 })
    expect(report.rows[0]?.reasons).toEqual([{ member, reason }])
  })

  test('refuses what is no row, and takes the rest', async () => {
    const { rows, ...rest } = await run(`\ufeff{"title":\n[1]\n\n${lines(row())}`)
    expect(rest).toEqual({ ...nothing, offered: 3, created: 1, refused: 2 })
    expect(rows.map(({ line, reasons }) => [line, reasons[0]?.reason])).toEqual([
      [1, 'The line is not JSON.'],
      [2, 'The line is no object.'],
      [4, undefined],
    ])
  })

  test('puts members that there are not among the data when it is lenient, and counts them', async () => {
    const report = await run(lines(row({ height: '3 m', more: { deep: [1] }, contribution_data: { a: 1 } })), {
      lenient: true,
    })
    expect(report).toMatchObject({ created: 1, set_aside: 2 })
    expect(report.rows[0]?.asides).toEqual([
      { member: 'height', value: '3 m', reason: 'There is no such member.' },
      { member: 'more', value: '{"deep":[1]}', reason: 'There is no such member.' },
    ])
    expect((await read(report.rows[0]?.id)).contribution_data).toEqual({ a: 1, height: '3 m', more: { deep: [1] } })
  })

  test('stops when it is told to, and says what it has not reached', async () => {
    const stop = new AbortController()
    const report = await run(lines(row(), row(), row()), {
      concurrency: 1,
      signal: stop.signal,
      advance: () => stop.abort(),
    })
    expect(report).toMatchObject({ offered: 3, created: 1, not_reached: 2 })
  })

  test('takes numbers as text and keeps line breaks', async () => {
    const { rows } = await run(lines(row({ Number_of_roofs: 3, Short_description: 'a\nb', Width: '', Gate: null })))
    expect(await read(rows[0]?.id)).toMatchObject({
      Number_of_roofs: '3',
      Short_description: 'a\nb',
      Width: null,
      Gate: null,
    })
  })
})

describe('npm run import -- --submissions', () => {
  const command = async (text: string, environment: Record<string, string> = {}) => {
    const directory = await mkdtemp(join(tmpdir(), 'heritage-submissions-'))
    const path = join(directory, file)
    await writeFile(path, text)
    const child = spawn(process.execPath, ['local/commands/import.ts', '--submissions', path], {
      env: { ...process.env, ...environment },
    })
    let said = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => (said += part))
    const code = await new Promise<number | null>((done) => child.on('exit', done))
    await rm(directory, { recursive: true, force: true })
    return { code, said }
  }

  test('writes into the table that the environment names, and prints the report', async () => {
    const text = lines(row({ submission_id: 'Command0001' }), row({ contributor: 'nobody' }))
    const { code, said } = await command(text)
    expect(code, said).toBe(0)
    expect(said).toMatch(/refused {2}rows\.jsonl:2 .*contributor "nobody": There is no such user\./)
    expect(said).toMatch(/rows\.jsonl +2 +1 +0 +0 +1 +0 +0/)
    expect(await read('Command0001')).toMatchObject({ contributor_username: 'dev' })
  }, 60_000)

  test('says when there is no such table, and writes nothing', async () => {
    const { code, said } = await command(lines(row()), { TABLE_NAME: 'no-such-table' })
    expect(code).toBe(2)
    expect(said).toContain('The table no-such-table does not answer at')
  }, 60_000)
})
