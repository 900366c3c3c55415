import { type Field, kinds, type Picture, proseFields } from '../kinds/index.ts'
import { cut } from '../matching/cut.ts'
import { textOf } from '../names/text.ts'
import { licenceAddress } from '../pictures/licence-address.ts'
import { picturesIn } from '../pictures/values.ts'
import { faceOf, fitting, imagePath, type Size, sizedPath, thumbnailAt } from '../pictures/view.ts'
import { type Asset, type Project, uprightSize } from '../projects/items.ts'
import type { RecordItem } from '../records/items.ts'

type Json = Record<string, unknown>
/** A text in a language; `none` where nobody has said in which. */
type Words = Readonly<Record<string, readonly string[]>>

export const PRESENTATION_CONTEXT = 'http://iiif.io/api/presentation/3/context.json'

/** One image as a manifest shows it: whose it is, its file, and what is said of it. */
type Page = Size & { owner: string; file: string; caption: string; creator: string; licence: string; date: string }

/** What a manifest shows, whatever it is of. */
type Shown = {
  id: string
  label: Words
  summary: string
  metadata: readonly Json[]
  seeAlso: Json
  pages: readonly Page[]
  face: Page
}

/** The longer side of the image that a viewer shows first. */
const FIRST = 1200
const MOST_SUMMARY = 2000

/** The pictures of a record as a IIIF Presentation 3.0 manifest; undefined of one without any. */
export function manifestOfRecord(it: RecordItem, origin: string): Json | undefined {
  const pictures = picturesIn(it.data)
  const pages = pictures.map((one) => pageOf(it.entity_id, one))
  const face = pages.find(({ file }) => file === faceOf(pictures)?.id) ?? pages[0]
  if (!face) return undefined
  const kind = kinds[it.kind]
  const name_ne = textOf(it.data.name_ne)
  const at = kind.record ? `/cidoc/${kind.segment}/${it.id}/` : `/data/cultural-entities/${it.entity_id}/`
  return manifest(origin, {
    id: `/data/manifests/records/${it.entity_id}/`,
    label: { none: [it.name], ...(name_ne && { ne: [name_ne] }) },
    summary: proseFields.map((name) => textOf(it.data[name])).find(Boolean) ?? '',
    metadata: [
      pair('Kind', kind.label),
      ...Object.entries(kind.fields).flatMap(([name, field]) => said(field, it.data[name])),
    ],
    seeAlso: {
      id: `${origin}${at}`,
      type: 'Dataset',
      format: kind.record ? 'application/ld+json' : 'application/json',
      label: { en: ['The record with its sources'] },
    },
    pages,
    face,
  })
}

/** Values that stand in a manifest: dates and choices. What names other records, and places, stay with the record. */
const told: ReadonlySet<Field['type']> = new Set(['select', 'date', 'edtf_date'])
const said = (field: Field, value: unknown): Json[] =>
  told.has(field.type) && field.section === 'basic' && textOf(value) !== '' ? [pair(field.label, textOf(value))] : []

const pair = (label: string, value: string): Json => ({ label: { en: [label] }, value: { none: [value] } })

const pageOf = (owner: string, it: Picture): Page => ({
  owner,
  file: it.id,
  width: it.width ?? 0,
  height: it.height ?? 0,
  caption: it.caption ?? '',
  creator: it.creator ?? '',
  licence: it.licence ?? '',
  date: it.date ?? '',
})

/** The images of a project as a manifest; undefined of one without any. */
export function manifestOfProject(about: Project, assets: readonly Asset[], origin: string): Json | undefined {
  const pages = assets.flatMap((it) => {
    const size = uprightSize(it)
    if (!size) return []
    const said = { caption: it.caption, creator: it.source_institution, licence: about.license, date: '' }
    return [{ owner: about.id, file: it.id, ...size, ...said }]
  })
  const [face] = pages
  if (!face) return undefined
  return manifest(origin, {
    id: `/data/manifests/projects/${about.slug}/`,
    label: { none: [about.title] },
    summary: about.abstract,
    metadata: [pair('Licence', about.license), ...(about.tags.length > 0 ? [pair('Tags', about.tags.join(', '))] : [])],
    seeAlso: {
      id: `${origin}/data/projects/${about.slug}/`,
      type: 'Dataset',
      format: 'application/json',
      label: { en: ['The project'] },
    },
    pages,
    face,
  })
}

function manifest(origin: string, { id, label, summary, metadata, seeAlso, pages, face }: Shown): Json {
  const address = `${origin}${id}`
  return {
    '@context': PRESENTATION_CONTEXT,
    id: address,
    type: 'Manifest',
    label,
    ...(summary && { summary: { none: [cut(summary, MOST_SUMMARY)] } }),
    metadata,
    thumbnail: [thumbnail(face, origin)],
    seeAlso: [seeAlso],
    items: pages.map((page, i) => canvas(page, `${address}canvas/${i + 1}`, origin, i + 1)),
  }
}

/** One picture: a canvas of its size, with the image painted on it. */
function canvas(page: Page, id: string, origin: string, number: number): Json {
  const { width, height, caption, creator, licence, date } = page
  const rights = licenceAddress(licence)
  const credit = [creator, licence].filter(Boolean).join(', ')
  return {
    id,
    type: 'Canvas',
    label: { none: [caption || `Picture ${number}`] },
    width,
    height,
    ...(date && { metadata: [pair('Date', date)] }),
    ...(credit && { requiredStatement: { label: { en: ['Attribution'] }, value: { none: [credit] } } }),
    ...(rights !== undefined && { rights }),
    thumbnail: [thumbnail(page, origin)],
    items: [
      {
        id: `${id}/page`,
        type: 'AnnotationPage',
        items: [
          { id: `${id}/image`, type: 'Annotation', motivation: 'painting', target: id, body: body(page, origin) },
        ],
      },
    ],
  }
}

function body(page: Page, origin: string): Json {
  const base = `${origin}${imagePath(page.owner, page.file)}`
  const first = fitting(page, FIRST)
  return { id: sizedPath(base, first), type: 'Image', format: 'image/jpeg', ...first, service: [service(base)] }
}

function thumbnail(page: Page, origin: string): Json {
  const base = `${origin}${imagePath(page.owner, page.file)}`
  const { url, ...size } = thumbnailAt(base, page)
  return { id: url, type: 'Image', format: 'image/jpeg', ...size, service: [service(base)] }
}

const service = (id: string): Json => ({ id, type: 'ImageService3', profile: 'level2' })
