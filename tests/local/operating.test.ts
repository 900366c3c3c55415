import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, test } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import { openApp } from '../harness/app.ts'
import { bareEnvironment } from '../harness/bare-environment.ts'
import { contribute } from '../harness/make.ts'

/** The commands of a section of the page for operators, as it writes them, and the settings that it exports before. */
function commandsIn(section: string): { settings: Record<string, string>; commands: string[] } {
  const page = readFileSync('deploy/OPERATING.md', 'utf8')
  const [, block = ''] = new RegExp(`\\n## ${section}\\n[\\s\\S]*?\\n\`\`\`sh\\n([\\s\\S]*?)\`\`\``).exec(page) ?? []
  const lines = block.split('\n').map((line) => line.replace(/\s+#.*$/, ''))
  const [exported = ''] = lines.filter((line) => line.startsWith('export '))
  const settings = Object.fromEntries([...exported.matchAll(/(\w+)=(\S+)/g)].map(([, name, value]) => [name, value]))
  return { settings, commands: lines.filter((line) => line.startsWith('npm run ')) }
}

/** What an operator has from elsewhere: the emulators stand in for AWS. */
let table = ''
let bucket = ''
beforeAll(async () => {
  const app = await openApp()
  await contribute(app.contributor, 'structures', { name: 'Manga Hiti' })
  table = process.env.TABLE_NAME ?? ''
  bucket = process.env.BUCKET_NAME ?? ''
})

describe.each(['Repair', 'Layouts of the table'])('the commands of the section %s', (section) => {
  const { settings, commands } = commandsIn(section)

  test('are there', () => expect(commands.length).toBeGreaterThan(2))

  test.each(commands)('%s runs as it is written', (command) => {
    const [, name = '', args = ''] = /^npm run (\w+)(?: -- (.*))?$/.exec(command) ?? []
    const script = Object.entries(packageJson.scripts).find(([it]) => it === name)?.[1] ?? ''
    const [program, ...before] = script.split(' ')
    expect(program).toBe('node')
    const named = {
      ...settings,
      TABLE_NAME: table,
      ...(settings.BUCKET_NAME !== undefined && { BUCKET_NAME: bucket }),
    }
    const { DYNAMODB_ENDPOINT = '', S3_ENDPOINT = '' } = process.env
    const env = { ...bareEnvironment, ...named, DYNAMODB_ENDPOINT, S3_ENDPOINT }
    const { status, stdout, stderr } = spawnSync(process.execPath, [...before, ...args.split(' ').filter(Boolean)], {
      env,
      encoding: 'utf8',
    })
    expect([status, status === 0 ? '' : stderr]).toEqual([0, ''])
    expect(stdout).not.toBe('')
  })
})

test('a command without the bucket that it needs says so', () => {
  const { DYNAMODB_ENDPOINT = '' } = process.env
  for (const args of [['local/commands/recount.ts'], ['local/commands/search.ts', 'status']]) {
    const env = { ...bareEnvironment, TABLE_NAME: table, DYNAMODB_ENDPOINT }
    const { status, stderr } = spawnSync(process.execPath, args, { env, encoding: 'utf8' })
    expect([status, stderr.trim()]).toEqual([1, 'BUCKET_NAME is missing: name the bucket that belongs to the table.'])
  }
})
