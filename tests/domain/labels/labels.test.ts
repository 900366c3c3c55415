import { XMLValidator } from 'fast-xml-parser'
import { beforeAll, describe, expect, test } from 'vitest'
import { vocabulary } from '../../../lib/domain/labels/vocabulary.ts'
import { type App, openApp, type Persona } from '../../harness/app.ts'
import { fileOf, form } from '../../harness/asset-world.ts'
import { type Following, followTable } from '../../harness/following.ts'
import { contribute, publish, sure } from '../../harness/make.ts'
import { photographs } from '../../harness/media-files.ts'

let app: App
let following: Following
beforeAll(async () => {
  app = await openApp()
  following = await followTable()
})

type Made = { id: number; cultural_entity_id: string }

const at = (it: Made) => `/data/entities/${it.cultural_entity_id}/labels/`
const set = (who: Persona, it: Made, labels: object[]) => who.put(at(it), { body: { labels } })

describe('the vocabulary', () => {
  test('has a name and a text in both languages, and an address of Local Contexts, for each label', async () => {
    const { results } = sure(200, await app.anon.get('/cidoc/schema/labels/'))
    expect(results).toHaveLength(Object.keys(vocabulary).length)
    for (const it of results) {
      expect(it.name_ne + it.text_ne, it.code).toMatch(/\p{Script=Devanagari}/u)
      expect(it.text, it.code).toMatch(/\.$/)
      expect(it.text_ne, it.code).toMatch(/।$/)
      if (it.code !== 'community') expect(it.url).toMatch(/^https:\/\/localcontexts\.org\/(label|notice)\/[a-z-]+\/$/)
    }
    expect(new Set(results.map((it: { url: string }) => it.url)).size).toBe(results.length)
  })
})

describe('a label', () => {
  test('stands in every representation of a record, of its value and of its picture', async () => {
    const photograph = (await photographs())['image/png']
    const picture = sure(
      201,
      await app.contributor.post('/data/pictures/', { body: form({ file: fileOf(photograph, 'a.png') }) }),
    )
    const song = await publish(app, 'structures', {
      name: 'Labelled temple',
      note: 'The song of the house.',
      images: [picture],
    })
    await following.settled()
    const labels = [
      { code: 'tk_a', community: 'Jyapu Samaj' },
      { code: 'tk_s', on: 'note' },
      { code: 'tk_f', on: `picture:${picture.id}` },
      {
        code: 'community',
        community: 'Guthi of Patan',
        text: 'Ask the guthi first.',
        text_ne: 'पहिले गुठीलाई सोध्नुहोस्।',
        url: 'https://guthi.example/ask',
      },
    ]
    const told = sure(200, await set(app.community, song, labels)).labels
    expect(told).toMatchObject([
      { code: 'tk_a', sort: 'tk', on: null, community: 'Jyapu Samaj', name: 'TK Attribution', name_ne: 'टीके श्रेय' },
      { code: 'tk_s', on: 'note', url: 'https://localcontexts.org/label/tk-seasonal/' },
      { code: 'tk_f', on: `picture:${picture.id}` },
      { code: 'community', name: 'Guthi of Patan', text: 'Ask the guthi first.', text_ne: 'पहिले गुठीलाई सोध्नुहोस्।' },
    ])
    await following.settled()

    const address = `/cidoc/structures/${song.id}/`
    expect(sure(200, await app.anon.get(address)).labels).toEqual(told)
    const list = sure(200, await app.anon.get('/cidoc/structures/', { query: { search: 'Labelled' } }))
    expect(list.results[0].labels).toEqual(told)
    const entity = sure(200, await app.anon.get(`/data/cultural-entities/${song.cultural_entity_id}/`))
    expect(entity.labels).toEqual(told)

    const linked = await app.anon.get(address, { headers: { accept: 'application/ld+json' } })
    const rights = linked.body['foaf:isPrimaryTopicOf']['dcterms:accessRights']
    expect(rights).toHaveLength(4)
    expect(rights[0]).toMatchObject({
      'dcterms:source': { id: 'https://localcontexts.org/label/tk-attribution/' },
      'dcterms:rightsHolder': 'Jyapu Samaj',
      label: [{ '@language': 'en' }, { '@value': 'टीके श्रेय', '@language': 'ne' }],
    })

    const manifest = sure(200, await app.anon.get(`/data/manifests/records/${song.cultural_entity_id}/`))
    expect(manifest.requiredStatement.value.en).toHaveLength(3)
    expect(manifest.requiredStatement.value.ne[2]).toContain('पहिले गुठीलाई सोध्नुहोस्।')
    expect(manifest.items[0].requiredStatement.value.en).toEqual([expect.stringMatching(/^TK Family: /)])

    const oai = await app.anon.get('/data/oai/', {
      query: { verb: 'GetRecord', metadataPrefix: 'oai_dc', identifier: `urn:uuid:${song.cultural_entity_id}` },
    })
    expect(XMLValidator.validate(oai.text)).toBe(true)
    expect(oai.text).toContain('<dc:rights xml:lang="en">TK Attribution (Jyapu Samaj): ')
    expect(oai.text).toContain('<dc:rights xml:lang="ne">')

    const { exportRecord, recordCells, recordColumns } = await import('../../../lib/doors/exports/rows.ts')
    const { loadRecordById } = await import('../../../lib/domain/records/load.ts')
    const { showRecord } = await import('../../../lib/domain/records/shown.ts')
    const { kinds } = await import('../../../lib/domain/kinds/index.ts')
    const record = await loadRecordById(song.cultural_entity_id)
    if (!record) throw new Error('there is no record')
    const exported = exportRecord(await showRecord(null, record), new Map())
    expect(exported.labels).toHaveLength(8)
    expect(recordCells(exported)[recordColumns(kinds.structure).indexOf('labels')]).toContain(
      'Guthi of Patan: Ask the guthi first.',
    )

    const changes = sure(200, await app.anon.get('/data/changes/', { query: { include: 'record' } })).changes
    expect(changes.at(-1)).toMatchObject({ change: 'updated', record: { labels: told } })
    sure(200, await set(app.contributor, song, []))
    expect(sure(200, await app.anon.get(address))).not.toHaveProperty('labels')
  })

  describe('of a record, its note and all of it', () => {
    const lines = [
      'TK Seasonal [note]: This is used or heard at certain times',
      'Ask the guthi first. https://guthi.example/ask',
      'पहिले गुठीलाई सोध्नुहोस्।',
    ]
    const labels = [
      { code: 'tk_s', on: 'note' },
      {
        ...{ code: 'community', community: 'Guthi of Patan', url: 'https://guthi.example/ask' },
        ...{ text: 'Ask the guthi first.', text_ne: 'पहिले गुठीलाई सोध्नुहोस्।' },
      },
    ]
    let it: Made
    let claims: Record<string, string>
    let before: string
    beforeAll(async () => {
      it = await publish(app, 'structures', { name: 'Guthi house', note: 'A song.', coordinates: '27.67, 85.32' })
      const { assertions, created_at } = sure(200, await app.anon.get(`/cidoc/structures/${it.id}/`))
      claims = Object.fromEntries(
        assertions.map((each: { asserted_property: string; id: string }) => [each.asserted_property, each.id]),
      )
      before = created_at
      sure(200, await set(app.community, it, labels))
      await following.settled()
    })
    const of = (name: string) => `/cidoc/assertions/${claims[name]}/`
    /** Whether a text has what each label says. */
    const expectAll = (text: string) => {
      for (const line of lines) expect(text).toContain(line)
    }

    test.each(['structures', 'cultural-entities'])('stands in each table of its list: %s', async (name) => {
      const list = name === 'structures' ? '/cidoc/structures/' : '/data/cultural-entities/'
      const query = { search: 'Guthi house', columns: 'name,labels' }
      const { bytes } = await app.anon.get(list, { query: { ...query, format: 'csv' } })
      expectAll(bytes.toString())
      const { readWorkbookRows } = await import('../../../lib/domain/imports/formats/workbook.ts')
      const book = await app.anon.get(list, { query: { ...query, format: 'xlsx' } })
      expectAll(JSON.stringify(await Array.fromAsync(readWorkbookRows(book.bytes, 0))))
      // Labels are in the table of whoever asks for no columns, too.
      expectAll((await app.anon.get(list, { query: { search: 'Guthi house', format: 'csv' } })).bytes.toString())
    })

    test('is left out when the table comes back', async () => {
      const { guessFor } = await import('../../../lib/domain/imports/guessing/guess.ts')
      const column = { header: 'labels', name: 'labels', filled: 1, values: lines } as never
      expect(guessFor('structure', [column], { sheet: 0, header_row: 1 }).guesses).toMatchObject([{ field: null }])
    })

    test.each(['text/turtle', 'application/n-triples', 'application/n-quads', 'application/rdf+xml'])(
      'stands in statements: %s',
      async (accept) => {
        const { bytes } = await app.anon.get(`/cidoc/structures/${it.id}/`, { headers: { accept } })
        const text = bytes
          .toString()
          .replace(/\\u([0-9A-F]{4})/g, (_, code) => String.fromCharCode(Number.parseInt(code, 16)))
        for (const part of ['https://guthi.example/ask', 'Ask the guthi first.', 'पहिले गुठीलाई सोध्नुहोस्।'])
          expect(text).toContain(part)
        expect(text).toMatch(/accessRights/)
      },
    )

    test('stands in GeoJSON of the record, of its list, and as a feature for desktop maps', async () => {
      const geo = { accept: 'application/geo+json' }
      const one = JSON.parse((await app.anon.get(`/cidoc/structures/${it.id}/`, { headers: geo })).text)
      const list = await app.anon.get('/cidoc/structures/', { headers: geo, query: { search: 'Guthi house' } })
      const features = sure(
        200,
        await app.anon.get('/ogc/collections/structures/items/', { query: { limit: 100 } }),
      ).features
      const feature = sure(200, await app.anon.get(`/ogc/collections/structures/items/${it.id}/`))
      const listed = features.find(({ id }: Made) => id === it.id)
      for (const each of [one, JSON.parse(list.text).features[0], listed, feature])
        expect(each.properties.labels).toMatchObject([{ code: 'tk_s', on: 'note' }, { code: 'community' }])
    })

    test('stands on the claim of its value, as JSON, JSON-LD and a nanopublication; others have those of the whole', async () => {
      expect(sure(200, await app.anon.get(of('note'))).labels).toMatchObject([{ code: 'tk_s' }, { code: 'community' }])
      expect(sure(200, await app.anon.get(of('name'))).labels).toMatchObject([{ code: 'community' }])
      const linked = await app.anon.get(of('note'), { headers: { accept: 'application/ld+json' } })
      expect(linked.body['dcterms:accessRights']).toHaveLength(2)
      const nanopublication = async (name: string) =>
        (await app.anon.get(of(name), { headers: { accept: 'application/trig' } })).text
      expect(await nanopublication('note')).toContain('tk-seasonal')
      expect(await nanopublication('name')).not.toContain('tk-seasonal')
      expect(await nanopublication('name')).toContain('Ask the guthi first.')
      const listed = await app.anon.get('/cidoc/assertions/', {
        query: {
          cultural_entity_id: it.cultural_entity_id,
          asserted_property: 'note',
          format: 'csv',
          columns: 'labels',
        },
      })
      expectAll(listed.bytes.toString())
    })

    test('stands on its page in both languages, and on that of an earlier time', async () => {
      const html = { accept: 'text/html' }
      const page = async (query: Record<string, string>) =>
        (await app.anon.get(`/resource/structure/${it.id}/`, { headers: html, query })).text
      const english = await page({ lang: 'en' })
      for (const part of [
        'How it may be used',
        'TK Seasonal',
        '– Note',
        'Ask the guthi first.',
        '"conditionsOfAccess"',
      ])
        expect(english).toContain(part)
      const nepali = await page({ lang: 'ne' })
      for (const part of ['कसरी प्रयोग गर्न मिल्छ', 'पहिले गुठीलाई सोध्नुहोस्।']) expect(nepali).toContain(part)
      // What a community says holds for earlier states of the record, too.
      expect(await page({ lang: 'en', at: before })).toContain('Ask the guthi first.')
      const past = sure(200, await app.anon.get(`/cidoc/structures/${it.id}/`, { query: { at: before } }))
      expect(past.labels).toHaveLength(2)
    })

    test('stands in the exported files, in their bag, and among the statements that can be asked', async () => {
      await (await import('../../../functions/exporter.ts')).handler()
      const { files, bag } = sure(200, await app.anon.get('/data/exports/'))
      const textOf = async (url: string) => Buffer.from(await (await fetch(url)).arrayBuffer()).toString()
      for (const name of ['structure.jsonl', 'structure.csv']) {
        const { url } = files.find((file: { name: string }) => file.name === name)
        expectAll((await textOf(url)).replaceAll('\\n', '\n'))
      }
      expectAll(await textOf(bag.url))
      const asked = await app.anon.get('/fragments/', {
        query: { predicate: 'http://purl.org/dc/terms/rightsHolder', object: '"Guthi of Patan"' },
        headers: { accept: 'application/n-quads' },
      })
      expect(asked.bytes.toString()).toContain('Guthi of Patan')
    })

    test('stands beside the row of a citation, and is no part of its digest', async () => {
      const cite = async () =>
        sure(
          201,
          await app.contributor.post('/data/citations/', { body: { of: '/cidoc/structures/?search=Guthi+house' } }),
        )
      const cited = await cite()
      const rows = async (id: string) => sure(200, await app.anon.get(`/data/citations/${id}/`)).results
      expect((await rows(cited.id))[0].labels).toHaveLength(2)
      sure(200, await set(app.community, it, labels.slice(1)))
      expect((await cite()).digest).toBe(cited.digest)
      expect((await rows(cited.id))[0].labels).toHaveLength(1)
    })
  })

  test('stands on a source', async () => {
    const source = sure(
      201,
      await app.contributor.post('/cidoc/data_sources/', { body: { name: 'Songs of the guthi' } }),
    )
    const path = `/cidoc/data_sources/${source.id}/`
    const labels = [{ code: 'tk_nc' }, { code: 'open_to_collaborate' }]
    expect((await app.other.put(`${path}labels/`, { body: { labels } })).status).toBe(403)
    expect(sure(200, await app.contributor.put(`${path}labels/`, { body: { labels } })).labels).toMatchObject(labels)
    const linked = await app.anon.get(path, { headers: { accept: 'application/ld+json' } })
    expect(linked.body['foaf:isPrimaryTopicOf']['dcterms:accessRights']).toHaveLength(2)
    expect(
      sure(200, await app.anon.get('/cidoc/data_sources/', { query: { name: 'Songs of the guthi' } })).results[0]
        .labels,
    ).toHaveLength(2)
  })

  test('is set by whose the record is and by reviewers; of a hidden record nobody else is told', async () => {
    const open = await publish(app, 'structures', { name: 'Whose label' })
    const hidden = await contribute(app.contributor, 'structures', { name: 'Hidden label' })
    const labels = [{ code: 'tk_cs' }]
    expect((await set(app.anon, open, labels)).status).toBe(401)
    expect((await set(app.other, open, labels)).status).toBe(403)
    expect((await set(app.other, hidden, labels)).status).toBe(404)
    expect((await app.anon.get(at(hidden))).status).toBe(404)
    for (const who of [app.contributor, app.community, app.staff]) {
      sure(200, await set(who, open, labels))
      sure(200, await set(who, hidden, labels))
    }
    const { token } = sure(
      201,
      await app.contributor.post('/api/user/keys/', { body: { name: 'Machine', scopes: ['propose'] } }),
    )
    expect((await set(app.as(token), open, [])).status).toBe(403)
  })

  test('in words of one’s own takes a reviewer once the record is public', async () => {
    const own = { code: 'community', community: 'Guthi', text: 'Not in winter.' }
    const waiting = await contribute(app.contributor, 'structures', { name: 'Own words' })
    sure(200, await set(app.contributor, waiting, [own]))
    const open = await publish(app, 'structures', { name: 'Own words in public' })
    const refused = await set(app.contributor, open, [own])
    expect([refused.status, refused.body]).toEqual([
      403,
      { detail: 'Words of your own on a public thing take a reviewer.' },
    ])
    expect((await set(app.contributor, open, [{ code: 'tk_a', community: 'Buy here' }])).status).toBe(403)
    sure(200, await set(app.domain, open, [own]))
    // What a reviewer has said stays when its contributor adds a label of the list.
    expect(sure(200, await set(app.contributor, open, [own, { code: 'tk_a' }])).labels).toHaveLength(2)
  })

  test('that does not fit is refused', async () => {
    const it = await publish(app, 'structures', { name: 'Misfit label' })
    const answerTo = async (labels: unknown) => (await app.contributor.put(at(it), { body: { labels } })).body
    expect(await answerTo([{ code: 'tk_x' }])).toHaveProperty('labels')
    expect(await answerTo([{ code: 'tk_a', on: 'note' }])).toEqual({
      labels: ['A label is on something that is not there.'],
    })
    expect(await answerTo([{ code: 'community' }])).toEqual({
      labels: ['A label of a community of its own takes its name and its text.'],
    })
    expect(await answerTo('tk_a')).toEqual({ labels: ['Give a list of labels.'] })
    expect(await answerTo(Array(21).fill({ code: 'tk_a' }))).toEqual({ labels: ['Give no more than 20 labels.'] })
    expect(await answerTo([{ code: 'tk_a', url: 'javascript:alert(1)' }])).toHaveProperty('labels')
  })

  test('is read by whoever sees the record', async () => {
    const it = await publish(app, 'structures', { name: 'Labels to read' })
    const labels = [{ code: 'tk_a', community: 'Jyapu Samaj' }]
    sure(200, await set(app.community, it, labels))
    expect(sure(200, await app.anon.get(at(it))).labels).toMatchObject(labels)
    const waiting = await contribute(app.contributor, 'structures', { name: 'Labels that wait' })
    expect((await app.anon.get(at(waiting))).status).toBe(404)
  })

  test('is undone by nobody who read an older state', async () => {
    const it = await publish(app, 'structures', { name: 'Labels at once' })
    const headers = { 'if-match': '"1"' }
    expect((await app.contributor.put(at(it), { body: { labels: [] }, headers })).status).toBe(412)
  })
})
