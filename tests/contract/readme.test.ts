import { existsSync, globSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join, posix } from 'node:path'
import { describe, expect, test } from 'vitest'
import { config } from '../../lib/config.ts'
import { canonical, matcher } from '../../lib/http/path.ts'
import { events } from '../../local/deploy/routes.ts'

/** What the pages of the project say is so: their links, files, names, commands, variables and addresses are there. */
const root = join(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const project = { cwd: root, exclude: ['**/node_modules/**'] }
const pages = globSync(['*.md', '{functions,lib,local,tests}/**/*.md'], project).sort()
const files = globSync(['*.*', '{functions,lib,local,tests}/**/*.*'], project)
const sources = files.filter((it) => /\.(ts|cjs|yml|js|json)$/.test(it) && !it.endsWith('openapi.json'))
const code = sources.filter((it) => it !== 'tests/contract/readme.test.ts').map(read)
const words = new Set(code.flatMap((text) => text.match(/\w+/g) ?? []))

const found = (text: string, pattern: RegExp) =>
  [...new Set([...text.matchAll(pattern)].map(([, it = '']) => it))].sort()
const withoutBlocks = (text: string) => text.replace(/^```[\s\S]*?^```/gm, '')
const section = (page: string, title: string) =>
  read(page)
    .split(/^## /m)
    .find((it) => it.startsWith(`${title}\n`)) ?? ''
/** What stands as code within sentences, and on which page. */
const spans = pages.flatMap((page) => found(withoutBlocks(read(page)), /`([^`\n]+)`/g).map((it) => ({ page, it })))
const anchorsOf = (page: string) =>
  found(withoutBlocks(read(page)), /^#+ (.*)$/gm).map((it) =>
    it
      .toLowerCase()
      .replace(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  )
const isThere = (path: string) => existsSync(join(root, path))

test('links lead to files and to headings', () => {
  const links = pages.flatMap((page) =>
    found(withoutBlocks(read(page)), /\]\(([^)\s]+)\)/g)
      .filter((link) => !/^https?:/.test(link))
      .map((link) => {
        const [path = '', anchor] = link.split('#')
        return { page, link, to: path === '' ? page : posix.join(posix.dirname(page), path), anchor }
      }),
  )
  expect(links.length).toBeGreaterThan(80)
  const leads = ({ to, anchor }: (typeof links)[number]) =>
    isThere(to) && (anchor === undefined || (to.endsWith('.md') && anchorsOf(to).includes(anchor)))
  expect(links.filter((it) => !leads(it))).toEqual([])
})

test('the files that they name are there, from the page or from the root, or the service makes them', () => {
  const named = spans.filter(({ it }) => /^[\w./-]+\.(ts|json|yml|cjs|md)$/.test(it) && !/NAME|GROUP/.test(it))
  expect(named.length).toBeGreaterThan(200)
  const made = (name: string) => code.some((text) => text.includes(`'${name}'`))
  const isNamed = ({ page, it }: (typeof named)[number]) =>
    isThere(posix.join(posix.dirname(page), it)) ||
    isThere(it) ||
    (page !== 'README.md' && isThere(`lib/${it}`)) ||
    made(it)
  expect(named.filter((it) => !isNamed(it))).toEqual([])
  const folders = spans.filter(({ it }) => /^(functions|lib|local|tests)(\/[\w.-]+)*\/$/.test(it))
  expect(folders.filter(({ it }) => !it.includes('SLICE') && !isThere(it))).toEqual([])
})

test('the names of functions, tables and alarms that they name are in the code', () => {
  const named = spans.flatMap(({ page, it }) => (/^[A-Za-z]*[a-z][A-Z]\w*$/.test(it) ? [{ page, it }] : []))
  expect(named.length).toBeGreaterThan(40)
  expect(named.filter(({ it }) => !words.has(it))).toEqual([])
})

test('the README names every script, and no page one that is not there', () => {
  const scripts = Object.keys(JSON.parse(read('package.json')).scripts).sort()
  const named = (page: string) =>
    found(read(page), /npm (?:run )?([a-z:]+)/g).filter((it) => it !== 'ci' && it !== 'run')
  expect(named('README.md')).toEqual(scripts)
  expect(
    pages.flatMap((page) => named(page).map((it) => ({ page, it }))).filter(({ it }) => !scripts.includes(it)),
  ).toEqual([])
})

describe('variables of the environment', () => {
  const { devMode: _, secure: __, ...own } = config
  const stack = found(read('serverless.yml'), /\$\{env:([A-Z0-9_]+)/g)
  const wanted = [...Object.keys(own), ...stack, ...found(read('.env.example'), /^([A-Z0-9_]+)=/gm)]
  const everywhere = code.flatMap((text) => [
    ...found(text, /\b(?:process\.env|environment)\.([A-Z0-9_]+)/g),
    ...found(text, /const \{[^}]*\b([A-Z][A-Z0-9_]+)\b[^}]*\} = process\.env/g),
  ])

  test('are all in the section Configuration, and none there that nobody reads', () => {
    const named = found(
      section('local/deploy/OPERATING.md', 'Configuration'),
      /`([A-Z][A-Z0-9]+_[A-Z0-9_]+|[A-Z]{4,})`/g,
    )
    expect(wanted.filter((it) => !named.includes(it))).toEqual([])
    expect(named.filter((it) => ![...wanted, ...everywhere].includes(it))).toEqual([])
  })

  test('that other pages name are read by somebody', () => {
    const named = spans.flatMap(({ page, it }) =>
      found(it, /^([A-Z][A-Z0-9]*_[A-Z0-9_]*[A-Z0-9](?![a-zA-Z_])|[A-Z]{4,}(?==))/g).map((name) => ({ page, name })),
    )
    expect(named.length).toBeGreaterThan(20)
    expect(named.filter(({ name }) => ![...wanted, ...everywhere].includes(name))).toEqual([])
  })
})

test('the addresses that they name are answered', async () => {
  const tables = await Promise.all(
    Object.keys(events).map(async (name) => (await import(`../../functions/${name}.ts`)).routes),
  )
  const match = matcher(Object.assign({}, ...tables))
  const address = /^(?:[A-Z]+ )?(\/(?:data|cidoc|api|assistant|schema|docs|health|metrics)\b.*)$/
  const families = ['/api/v1', '/data/', '/cidoc/', '/data/...', '/data/api/...', '/cidoc/...', '/assistant/...']
  const named = spans.flatMap(({ page, it }) => {
    const [, path] = address.exec(it) ?? []
    return path === undefined || families.includes(path) ? [] : [{ page, path }]
  })
  expect(named.length).toBeGreaterThan(30)
  const methods = ['GET', 'POST', 'PATCH']
  const isAnswered = (path: string) =>
    methods.some(
      (method) => 'found' in match(method, canonical(path.replace(/\?.*/, '').replace('{segment}', 'structures'))),
    )
  expect(named.filter(({ path }) => !isAnswered(path))).toEqual([])
})

describe('the notice-board', () => {
  const lines = (page: string) => read(page).trimEnd().split('\n').length
  /** The rooms in their order, as the test of layers has them. */
  const order = /order: readonly string\[\] = \[([^\]]*)\]/.exec(read('tests/contract/layers.test.ts'))?.[1] ?? ''
  const rooms = [...order.matchAll(/'([a-z]+)'/g)].map(([, it = '']) => it).filter((it) => it !== 'functions')

  test('is short: 300 lines for the whole, 60 for each folder', () => {
    expect(lines('README.md')).toBeLessThanOrEqual(300)
    const folders = pages.filter((page) => page.endsWith('/README.md'))
    expect(folders.length).toBeGreaterThan(20)
    expect(folders.map((page) => ({ page, lines: lines(page) })).filter((it) => it.lines > 60)).toEqual([])
  })

  test('maps the rooms in their order', () => {
    const rows = section('README.md', 'The map')
      .split('\n')
      .filter((it) => it.startsWith('| ['))
    const named = rows.flatMap((row) =>
      [...(row.split('|')[1] ?? '').matchAll(/\[(\w+)\]\(lib\/(\w+)(?:\.ts)?\)/g)].map(([, , it = '']) => it),
    )
    expect(named).toEqual(rooms)
  })

  test('has a page for every room, or names it in lib/README.md, which links to all folders', () => {
    const page = read('lib/README.md')
    const folders = readdirSync(join(root, 'lib')).filter((it) => statSync(join(root, 'lib', it)).isDirectory())
    const own = folders.filter((it) => isThere(`lib/${it}/README.md`))
    expect(
      rooms.filter((it) => !own.includes(it) && !new RegExp(`^\\|[^|]*[\`[]${it}[\`\\]]`, 'm').test(page)),
    ).toEqual([])
    expect(own.filter((it) => !page.includes(`](${it})`))).toEqual([])
    const others = ['functions', 'tests', 'tests/bench', 'local/service', 'local/deploy', 'local/commands']
    expect(others.filter((it) => !isThere(`${it}/README.md`))).toEqual([])
  })

  test('answers a newcomer within two files', () => {
    const rows = section('README.md', 'Where do I find...')
      .split('\n')
      .filter((it) => /^\| (?!question|-)/.test(it))
    expect(rows.length).toBe(10)
    expect(rows.filter((row) => !/\w\.ts`|\(#/.test(row) || found(row, /`([\w/.-]+\.ts)`/g).length > 2)).toEqual([])
  })
})
