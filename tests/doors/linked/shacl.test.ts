import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Parser, Store } from 'n3'
import SHACLValidator from 'rdf-validate-shacl'
import { beforeAll, expect, test } from 'vitest'
import { type App, openApp } from '../../harness/app.ts'
import { filled } from '../../harness/filled.ts'
import { publish } from '../../harness/make.ts'
import { canonical, parseRdf } from '../../harness/rdf.ts'

type Quads = ConstructorParameters<typeof SHACLValidator>[0]
let app: App
let shapes: string
let validator: SHACLValidator
beforeAll(async () => {
  app = await openApp()
  const answer = await app.anon.get('/cidoc/shapes/')
  expect([answer.status, answer.headers['content-type']]).toEqual([200, 'text/turtle'])
  shapes = answer.text
  validator = new SHACLValidator(dataset(shapes))
})

/** Statements as a dataset that the validator reads. */
const dataset = (text: string) => new Store(new Parser().parse(text)) as never as Quads
const turtle = async (path: string) => (await app.anon.get(path, { headers: { accept: 'text/turtle' } })).text
/** What a text of Turtle breaks, in a line each. */
async function faultsOf(text: string): Promise<string[]> {
  const report = await validator.validate(dataset(text))
  return report.results.map(
    (it) => `${it.path?.value} ${it.sourceConstraintComponent?.value.split('#')[1]} ${it.value?.value}`,
  )
}

test('every public record of every kind, full of values, fits the shapes made from the kinds', async () => {
  const { kinds, recordKinds } = await import('../../../lib/domain/kinds/index.ts')
  for (const key of recordKinds) {
    const { segment } = kinds[key]
    const { id } = await publish(app, segment, filled(kinds[key]) as never)
    expect(await faultsOf(await turtle(`/cidoc/${segment}/${id}/`)), key).toEqual([])
    expect(shapes).toContain(`#${key}>`)
  }
}, 240_000)

test('a record whose values were changed breaks one', async () => {
  const { id } = await publish(app, 'structures', { name: 'Broken temple', construction_date: '1650' })
  const text = await turtle(`/cidoc/structures/${id}/`)
  const breaks: [string | RegExp, string, string][] = [
    [/rdfs:label "Broken temple" ;/, '', 'MinCountConstraintComponent'],
    [
      /crm:P82a_begin_of_the_begin "[^"]*"\^\^xsd:dateTime/,
      'crm:P82a_begin_of_the_begin "long ago"',
      'PatternConstraintComponent',
    ],
    [/urn:uuid:/, 'uuid ', 'NodeConstraintComponent'],
    [/crm:E22_Human-Made_Object/, 'crm:E53_Place', 'HasValueConstraintComponent'],
    [/crm:P14_carried_out_by/, 'crm:P15_was_influenced_by', 'MinCountConstraintComponent'],
  ]
  expect(await faultsOf(text)).toEqual([])
  for (const [from, to, component] of breaks) {
    const changed = text.replace(from, to)
    expect(changed).not.toBe(text)
    expect((await faultsOf(changed)).join('\n')).toContain(component)
  }
})

const run = promisify(execFile)
const hasPySHACL = await run('pyshacl', ['--version']).then(
  () => true,
  () => false,
)
if (!hasPySHACL) console.warn('skipped: pySHACL over the shapes, which is not installed (pip install pyshacl)')

test('a year before the first fits them, too', async () => {
  const { id } = await publish(app, 'structures', { name: 'Older temple', construction_date: '400 BCE' })
  const text = await turtle(`/cidoc/structures/${id}/`)
  expect(text).toContain('crm:P82a_begin_of_the_begin "-0399-01-01T00:00:00Z"^^xsd:dateTime')
  expect(await faultsOf(text)).toEqual([])
  // pySHACL has no such years, so of their datatype nothing may be asked.
  const bounds = [...shapes.matchAll(/sh:path crm:P8[12][ab]_\w+ ;[^\]]*/g)].map(([it]) => it)
  expect([bounds.length, bounds.filter((it) => it.includes('sh:datatype'))]).toEqual([4, []])
  if (!hasPySHACL) return
  const folder = mkdtempSync(join(tmpdir(), 'shapes-'))
  const [record, rules] = [join(folder, 'record.ttl'), join(folder, 'shapes.ttl')]
  writeFileSync(record, text)
  writeFileSync(rules, shapes)
  const { stdout } = await run('pyshacl', ['-s', rules, record])
  rmSync(folder, { recursive: true })
  expect(stdout).toContain('Conforms: True')
})

test('the shapes have names in both languages, and are the same in every media type', async () => {
  const quads = await parseRdf(shapes, 'text/turtle')
  const names = quads.flatMap(({ object }) =>
    'language' in object && object.language ? [`${object.value}@${object.language}`] : [],
  )
  expect(names).toEqual(expect.arrayContaining(['Architectural Structure@en', 'वास्तु संरचना@ne']))
  const { text } = await app.anon.get('/cidoc/shapes/', { headers: { accept: 'application/rdf+xml' } })
  expect(await canonical(await parseRdf(text, 'application/rdf+xml'))).toBe(await canonical(quads))
})
