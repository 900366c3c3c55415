import { existsSync, globSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { describe, expect, test } from 'vitest'
import { functionNames } from '../../deploy/function-names.ts'
import { usesOf } from '../../deploy/policies.ts'
import { events } from '../../deploy/routes.ts'
import { loadStage } from '../../deploy/stages.ts'
import { personas, usernameOf } from '../../deploy/stand-ins/people.ts'
import { config } from '../../lib/base/config.ts'
import { canonicalPath, routeMatcher } from '../../lib/platform/http/path.ts'
import { rankName, ranks } from '../../lib/platform/permissions.ts'
import { rooms, wings } from './plan.ts'

/** What the pages of the project say is so: their links, files, names, commands, variables and addresses are there. */
const root = join(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const project = { cwd: root, exclude: ['**/node_modules/**'] }
const FOLDERS = '{functions,lib,deploy,api,local,tests}'
const pages = globSync(['*.md', `${FOLDERS}/**/*.md`], project).sort()
const files = globSync(['*.*', '.github/**/*.*', `${FOLDERS}/**/*.*`], project)
const sources = files.filter((it) => /\.(ts|cjs|yml|js|json)$/.test(it) && !it.endsWith('openapi.json'))
const code = sources.filter((it) => it !== 'tests/contract/pages.test.ts').map(read)
const words = new Set(code.flatMap((text) => text.match(/\w+/g) ?? []))

/** The first groups of all matches: in their order, each once. */
const inOrder = (text: string, pattern: RegExp) => [...new Set([...text.matchAll(pattern)].map(([, it = '']) => it))]
const found = (text: string, pattern: RegExp) => inOrder(text, pattern).sort()
const withoutBlocks = (text: string) => text.replace(/^ *```[\s\S]*?^ *```/gm, '')
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

/** What a text says of files: paths from the root, from or below the folder that it lies in, or a name that the service gives to a file. */
const made = (name: string) => code.some((text) => text.includes(`'${name}'`))
const isBelow = (from: string, name: string) => {
  const folder = posix.dirname(from)
  const below = folder === '.' ? '' : `${folder}/`
  return files.some((it) => it.startsWith(below) && (it === below + name || it.endsWith(`/${name}`)))
}
const isFile = (from: string, name: string) =>
  isThere(posix.join(posix.dirname(from), name)) || isThere(name) || isBelow(from, name) || made(name)
/** `functions/NAME.ts` stands for any of them. */
const isPath = (it: string) => /^[\w./-]+\.(ts|json|yml|cjs|md)$/.test(it) && !/NAME|GROUP|SLICE/.test(it)
const isFolder = (it: string) => /^(functions|lib|deploy|api|local|tests)(\/[\w.-]+)*\/$/.test(it)

test('the files and folders that pages name are there: from the page, or from the root', () => {
  const named = spans.filter(({ it }) => isPath(it))
  expect(named.length).toBeGreaterThan(200)
  expect(named.filter(({ page, it }) => !isFile(page, it))).toEqual([])
  expect(spans.filter(({ it }) => isFolder(it) && !isThere(it))).toEqual([])
})

test('a table of files names all of them: add the row of a new file to the README beside it', () => {
  const missing = pages
    .filter((page) => page.endsWith('README.md') && !page.startsWith('tests/'))
    .flatMap((page) => {
      const folder = posix.dirname(page)
      const tables = read(page)
        .split(/\n\n+/)
        .filter((block) => /^\| (file|files)\b/m.test(block))
      if (tables.length === 0) return []
      const beside = globSync('*.{ts,cjs}', { cwd: join(root, folder) })
      const text = tables.join('\n')
      return beside.filter((file) => !text.includes(`\`${file}\``)).map((file) => ({ page, file }))
    })
  expect(missing).toEqual([])
})

/** What stands in a file as comment: `text`; and what is left without comments: `code`. */
const commented = sources
  .filter((file) => /^(functions|lib|deploy|api|local)\/.*\.ts$/.test(file) && !file.startsWith('api/client/'))
  .map((file) => {
    const whole = read(file)
    const text = [...whole.matchAll(/\/\*\*[\s\S]*?\*\/|^\s*\/\/.*$/gm)].map(([it]) => it).join('\n')
    return { file, text, code: whole.replace(/\/\*\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '') }
  })

describe('comments', () => {
  test('name files that are there', () => {
    const named = commented.flatMap(({ file, text }) =>
      [
        ...found(text, /`([^`\n]+)`/g).filter(isPath),
        ...found(
          text,
          /(?<![\w/.-])((?:lib|functions|deploy|api|local|tests)\/[\w./-]+\.(?:ts|md|yml|cjs|json))\b/g,
        ).filter(isPath),
      ].map((it) => ({ file, it })),
    )
    expect(named.length).toBeGreaterThan(20)
    expect(named.filter(({ file, it }) => !isFile(file, it))).toEqual([])
  })

  test('name what is in the code', () => {
    const inCode = new Set(
      [
        ...commented.map((it) => it.code),
        ...sources.filter((it) => !it.endsWith('.ts') || it.startsWith('tests/')).map(read),
      ].flatMap((text) => text.match(/\w+/g) ?? []),
    )
    const named = commented.flatMap(({ file, text }) =>
      found(text, /`([A-Za-z]*[a-z][A-Z]\w*)(?:\([^`]*\))?`/g).map((it) => ({ file, it })),
    )
    expect(named.length).toBeGreaterThan(40)
    expect(named.filter(({ it }) => !inCode.has(it))).toEqual([])
  })
})

test('a name said to be in a file is in it', () => {
  const texts = [
    ...pages.map((page) => ({ from: page, text: withoutBlocks(read(page)) })),
    ...commented.map(({ file, text }) => ({ from: file, text })),
  ]
  const said = texts.flatMap(({ from, text }) =>
    [...text.matchAll(/`(\w+)`(?:,? (?:in|of)) (?:\[)?`([\w./-]+\.(?:ts|yml|cjs))`/g)].map(
      ([, name = '', file = '']) => ({ from, name, file }),
    ),
  )
  expect(said.length).toBeGreaterThan(10)
  const holds = ({ from, name, file }: (typeof said)[number]) => {
    const path = [posix.join(posix.dirname(from), file), file].find(isThere)
    return path === undefined ? made(file) : new RegExp(`\\b${name}\\b`).test(read(path))
  }
  expect(said.filter((it) => !holds(it))).toEqual([])
})

test('the names of functions, tables and alarms that they name are in the code', () => {
  const named = spans.flatMap(({ page, it }) => (/^[A-Za-z]*[a-z][A-Z]\w*$/.test(it) ? [{ page, it }] : []))
  expect(named.length).toBeGreaterThan(40)
  expect(named.filter(({ it }) => !words.has(it))).toEqual([])
})

test('the README or a page beside it names every script, and no page one that is not there', () => {
  const scripts = Object.keys(JSON.parse(read('package.json')).scripts).sort()
  const named = (page: string) =>
    found(read(page), /npm (?:run )?([a-z:]+)/g).filter(
      (it) => !['ci', 'run', 'install', 'installs', 'packages'].includes(it),
    )
  expect([...new Set(pages.flatMap(named))].sort()).toEqual(scripts)
  expect(
    pages.flatMap((page) => named(page).map((it) => ({ page, it }))).filter(({ it }) => !scripts.includes(it)),
  ).toEqual([])
})

describe('variables of the environment', () => {
  const { devMode: _, secure: __, ...own } = config
  const stack = found(read('serverless.yml'), /\$\{env:([A-Z0-9_]+)/g)
  const wanted = [...Object.keys(own), ...stack]
  const ofFunctions = found(read('serverless.yml'), /^ {4,6}([A-Z][A-Z0-9_]+):/gm)
  const ofWorkflows = found(read('.github/workflows/deploy.yml'), /vars\.([A-Z_]+)/g)
  const everywhere = code.flatMap((text) => [
    ...ofFunctions,
    ...ofWorkflows,
    ...found(text, /\b(?:process\.env|environment)\.([A-Z0-9_]+)/g),
    ...found(text, /const \{[^}]*\b([A-Z][A-Z0-9_]+)\b[^}]*\} = process\.env/g),
  ])

  test('are all in the section Configuration, and none there that nobody reads', () => {
    const named = found(section('deploy/OPERATING.md', 'Configuration'), /`([A-Z][A-Z0-9]+_[A-Z0-9_]+|[A-Z]{4,})`/g)
    expect(wanted.filter((it) => !named.includes(it))).toEqual([])
    const known = new Set([...wanted, ...everywhere])
    expect(named.filter((it) => !known.has(it))).toEqual([])
  })

  test('of a stage file are there, too: as a member, or as the variable of that name', () => {
    // These follow from the others.
    const derived = ['secrets', 'edgeSecret', 'removal', 'replacement', 'protected', 'tableSuffix', 'tracing']
    const members = Object.keys(loadStage('local')).filter((it) => !derived.includes(it))
    const text = section('deploy/OPERATING.md', 'Configuration')
    const variableOf = (member: string) => member.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()
    const named = (it: string) => text.includes(`\`${it}\``)
    expect(members.filter((it) => !named(it) && !named(variableOf(it)) && it !== 'sslRedirect')).toEqual([])
  })

  /** Node reads it. */
  const nodes = ['NODE_OPTIONS']
  test('that other pages name are read by somebody', () => {
    const named = spans.flatMap(({ page, it }) =>
      found(it, /^([A-Z][A-Z0-9]*_[A-Z0-9_]*[A-Z0-9](?![a-zA-Z_])|[A-Z]{4,}(?==))/g).map((name) => ({ page, name })),
    )
    expect(named.length).toBeGreaterThan(20)
    const known = new Set([...wanted, ...everywhere, ...nodes])
    expect(named.filter(({ name }) => !known.has(name))).toEqual([])
  })
})

test('the addresses that they name are answered', async () => {
  const tables = await Promise.all(
    Object.keys(events).map(async (name) => (await import(`../../functions/${name}.ts`)).routes),
  )
  const match = routeMatcher(Object.assign({}, ...tables))
  const address = /^(?:[A-Z]+ )?(\/(?:data|cidoc|api|assistant|schema|docs|health|metrics)\b.*)$/
  const families = ['/api/v1', '/data/', '/cidoc/', '/data/...', '/data/api/...', '/cidoc/...', '/assistant/...']
  const named = spans.flatMap(({ page, it }) => {
    const [, path] = address.exec(it) ?? []
    return path === undefined || families.includes(path) ? [] : [{ page, path }]
  })
  expect(named.length).toBeGreaterThan(30)
  const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']
  const isAnswered = (path: string) =>
    methods.some(
      (method) => 'found' in match(method, canonicalPath(path.replace(/\?.*/, '').replace('{segment}', 'structures'))),
    )
  expect(named.filter(({ path }) => !isAnswered(path))).toEqual([])
})

describe('what a newcomer opens first', () => {
  const lines = (page: string) => read(page).trimEnd().split('\n').length

  test('the README is a page or two', () => {
    expect(lines('README.md')).toBeLessThanOrEqual(140)
  })

  test('the README names each rank and each seeded person, GLOSSARY.md each rank', () => {
    const named = { 'README.md': [...ranks.map(rankName), ...personas.map(usernameOf)], 'GLOSSARY.md': ranks }
    const missing = Object.entries(named).flatMap(([page, names]) =>
      names.filter((name) => !read(page).includes(name)).map((name) => `${page}: ${name}`),
    )
    expect(missing).toEqual([])
  })

  test('ARCHITECTURE.md maps the rooms of each wing in their order', () => {
    const page = read('ARCHITECTURE.md')
    const mapped = Object.keys(wings).flatMap((wing) =>
      inOrder(page, new RegExp(`\\(lib/${wing}/([\\w-]+)(?:\\.ts)?/?(?:README\\.md)?\\)`, 'g')).map(
        (room) => `${wing}/${room}`,
      ),
    )
    expect([...mapped, 'functions']).toEqual(rooms)
  })

  test('every room that is a folder has a README, and so have functions, deploy, api, local and tests', () => {
    const folders = rooms
      .filter((room) => room !== 'functions' && !isThere(`lib/${room}.ts`))
      .map((room) => `lib/${room}`)
    const others = [
      'functions',
      'deploy',
      'api',
      'local/service',
      'local/commands',
      'tests',
      'tests/bench',
      'tests/prove',
    ]
    expect([...folders, ...others].filter((folder) => !isThere(`${folder}/README.md`))).toEqual([])
  })

  test('deploy/README.md names the functions that write each folder of the bucket', () => {
    const rights = functionNames().map((name) => ({ name, uses: usesOf(name) }))
    const table = section('deploy/README.md', 'Roles').split('| folder | functions that write into it |')[1] ?? ''
    const named = [...table.matchAll(/^\| `([\w-]+)` \| (.*) \|$/gm)].map(([, folder = '', names = '']) => [
      folder,
      found(names, /`([\w-]+)`/g),
    ])
    const folders = found(rights.flatMap(({ uses }) => uses).join('\n'), /^s3:PutObject Bucket\/([\w-]+)\/\*$/gm)
    const writers = (folder: string) =>
      rights.filter(({ uses }) => uses.includes(`s3:PutObject Bucket/${folder}/*`)).map(({ name }) => name)
    expect(named).toEqual(folders.map((folder) => [folder, writers(folder).sort()]))
  })
})
