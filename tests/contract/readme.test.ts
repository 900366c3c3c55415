import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { config } from '../../lib/config.ts'
import { canonical, matcher } from '../../lib/http/path.ts'
import { events } from '../../local/deploy/routes.ts'

const root = new URL('../..', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, root), 'utf8')
const readme = read('README.md')
const files = globSync(['*.*', '{functions,lib,local,tests}/**/*.*'], { cwd: root, exclude: ['**/node_modules/**'] })
const found = (text: string, pattern: RegExp) =>
  [...new Set([...text.matchAll(pattern)].map(([, it = '']) => it))].sort()
const section = (title: string) => readme.split(/^## /m).find((it) => it.startsWith(`${title}\n`)) ?? ''
const code = found(readme.replace(/^```[\s\S]*?^```/gm, ''), /`([^`\n]+)`/g)

test('its links lead to its headings', () => {
  const anchors = found(readme, /^#+ (.*)$/gm).map((it) =>
    it
      .toLowerCase()
      .replace(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  )
  const links = found(readme, /\]\(#([^)]*)\)/g)
  expect(links.length).toBeGreaterThan(20)
  expect(links.filter((it) => !anchors.includes(it))).toEqual([])
})

test('the files that it names are there', () => {
  const named = code.filter((it) => /^[\w./-]+\.(ts|json|yml|cjs)$/.test(it) && !it.includes('NAME'))
  expect(named.length).toBeGreaterThan(60)
  // Files of a backup.
  const made = ['manifest.json']
  const isThere = (path: string) => files.some((file) => file === path || file.endsWith(`/${path}`))
  expect(named.filter((it) => !made.includes(it) && !isThere(it))).toEqual([])
})

test('it names every script, and none that is not there', () => {
  const scripts = Object.keys(JSON.parse(read('package.json')).scripts)
  const named = found(readme, /npm (?:run )?([a-z:]+)/g).filter((it) => !['ci', 'run'].includes(it))
  expect(named).toEqual(scripts.sort())
})

test('it names every variable of the environment, and none that nobody reads', () => {
  const configuration = section('Configuration')
  const named = found(configuration, /`([A-Z][A-Z0-9]+_[A-Z0-9_]+|[A-Z]{4,})`/g)
  const { devMode: _, secure: __, ...own } = config
  const stack = found(read('serverless.yml'), /\$\{env:([A-Z0-9_]+)/g)
  const wanted = [...Object.keys(own), ...stack, ...found(read('.env.example'), /^([A-Z0-9_]+)=/gm)]
  expect(wanted.filter((it) => !named.includes(it))).toEqual([])
  expect(named.filter((it) => ![...wanted, 'DYNAMODB_PORT', 'LOCAL_DATA'].includes(it))).toEqual([])
})

test('the paths that it names are answered', async () => {
  const tables = await Promise.all(
    Object.keys(events).map(async (name) => (await import(`../../functions/${name}.ts`)).routes),
  )
  const match = matcher(Object.assign({}, ...tables))
  const path = /^(?:[A-Z]+ )?(\/(?:data|cidoc|api|assistant|schema|docs|health|metrics)\b.*)$/
  const families = ['/api/v1', '/data/', '/cidoc/', '/data/...', '/data/api/...', '/cidoc/...', '/assistant/...']
  const paths = code.flatMap((it) => path.exec(it)?.[1] ?? []).filter((it) => !families.includes(it))
  expect(paths.length).toBeGreaterThan(30)
  const methods = ['GET', 'POST', 'PATCH']
  const isAnswered = (named: string) =>
    methods.some(
      (method) => 'found' in match(method, canonical(named.replace(/\?.*/, '').replace('{segment}', 'structures'))),
    )
  expect(paths.filter((it) => !isAnswered(it))).toEqual([])
})
