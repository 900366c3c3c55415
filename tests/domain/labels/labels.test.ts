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
    expect(exported.labels).toHaveLength(4)
    expect(recordCells(exported)[recordColumns(kinds.structure).indexOf('labels')]).toContain(
      'Guthi of Patan: Ask the guthi first.',
    )

    const changes = sure(200, await app.anon.get('/data/changes/', { query: { include: 'record' } })).changes
    expect(changes.at(-1)).toMatchObject({ change: 'updated', record: { labels: told } })
    sure(200, await set(app.contributor, song, []))
    expect(sure(200, await app.anon.get(address))).not.toHaveProperty('labels')
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
