import { beforeAll, describe, expect, test } from 'vitest'
import { nepali } from '../../../lib/base/language/nepali.ts'
import { registry } from '../../../lib/domain/kinds/schema/registry.ts'
import { type App, openApp } from '../../harness/app.ts'
import { sure } from '../../harness/make.ts'
import { registryTexts } from '../../harness/registry-texts.ts'

let app: App
beforeAll(async () => {
  app = await openApp()
})

const PATH = '/cidoc/schema/registry/'
const asked = (header: string) => app.anon.get(PATH, { headers: { 'accept-language': header } })

describe('the registry', () => {
  test('has a Nepali text for every text that people read in it', () => {
    expect(
      registryTexts(registry()).filter((text) => !Object.hasOwn(nepali, text)),
      'add them to lib/base/language/nepali/kinds.ts, fields.ts or choices.ts',
    ).toEqual([])
  })

  test('is in English, to the byte, for whoever asks for nothing, English, or what is not there', async () => {
    const { text, headers } = await app.anon.get(PATH)
    expect(text).toBe(JSON.stringify(registry()))
    for (const header of ['', 'en', 'en-US,en;q=0.9,ne;q=0.8', 'fr', 'ne;q=0', ';q=,,=', 'x'.repeat(5000)]) {
      const reply = await asked(header)
      expect([header, reply.text === text, reply.headers.etag]).toEqual([header, true, headers.etag])
    }
  })

  test('is in Nepali for whoever wants that most', async () => {
    const english = await app.anon.get(PATH)
    for (const header of ['ne', 'ne-NP, en;q=0.5', 'fr, en;q=0.2, ne;q=0.7']) {
      const reply = await asked(header)
      const { guthi } = sure(200, reply).classes
      expect([guthi.label, guthi.labelPlural, guthi.key]).toEqual(['गुठी', 'गुठीहरू', 'guthi'])
      expect(reply.body.schema_version).toBe(english.body.schema_version)
      expect(reply.headers['content-language']).toBe('ne')
      expect(reply.headers.vary).toBe('Origin, Accept-Encoding, Accept-Language')
      expect(reply.headers.etag).not.toBe(english.headers.etag)
      expect(shapeOf(reply.body)).toEqual(shapeOf(english.body))
    }
  })

  test('what a client has in one language is not taken for the other', async () => {
    const { etag = '' } = (await app.anon.get(PATH)).headers
    const known = { 'if-none-match': etag }
    expect((await app.anon.get(PATH, { headers: known })).status).toBe(304)
    expect((await app.anon.get(PATH, { headers: { ...known, 'accept-language': 'ne' } })).status).toBe(200)
  })

  test('carries both languages where both are asked for, whatever the header says', async () => {
    const reply = await app.anon.get(PATH, { query: { languages: 'en,ne' }, headers: { 'accept-language': 'ne' } })
    const { structure } = sure(200, reply).classes
    expect([structure.label, structure.label_ne]).toEqual(['Architectural Structure', 'वास्तु संरचना'])
    const { options } = structure.fields.find((it: { key: string }) => it.key === 'existence_status')
    expect(options[0]).toMatchObject({ value: 'Extant', label: 'Extant', label_ne: 'विद्यमान' })
    expect(reply.headers['content-language']).toBe('en, ne')
    const one = await app.anon.get(PATH, { query: { languages: 'ne' } })
    expect(one.text).toBe((await asked('ne')).text)
  })

  test('a language that is not there is named', async () => {
    const reply = await app.anon.get(PATH, { query: { languages: 'new' }, headers: { 'accept-language': 'ne' } })
    expect([reply.status, reply.headers['content-language']]).toEqual([400, 'ne'])
    const plain = await app.anon.get(PATH, { query: { languages: 'new' } })
    expect(plain.body).toEqual({ languages: ['Not a valid choice. Choose one of: en, ne, en,ne.'] })
  })
})

/** What of an answer is no text. */
const shapeOf = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(shapeOf)
    : typeof value === 'object' && value !== null
      ? Object.fromEntries(Object.entries(value).map(([name, it]) => [name, shapeOf(it)]))
      : typeof value
