import * as v from 'valibot'
import * as s from '../../base/shapes.ts'
import { type Field, kinds, type Picture, proseFields } from '../../domain/kinds/index.ts'
import { labelLines, labelsView, pictureOf, type ShownLabel } from '../../domain/labels/labels.ts'
import { textOf } from '../../domain/names/text.ts'
import { picturesIn } from '../../domain/pictures/items.ts'
import {
  faceOf,
  fitInto,
  imagePath,
  licenceAddress,
  type PixelSize,
  sizedPath,
  thumbnailAt,
} from '../../domain/pictures/view.ts'
import { type Asset, type Project, uprightSize } from '../../domain/projects/items.ts'
import type { RecordItem } from '../../domain/records/items.ts'
import { cut } from '../../engines/matching/index.ts'
import { pageAddress } from '../pages/address.ts'

/** Texts by language. The key is `none` if the language is unknown. */
type Words = { [language: string]: readonly string[] }
type Pair = { label: Words; value: Words }

export const PRESENTATION_CONTEXT = 'http://iiif.io/api/presentation/3/context.json'

/** One image of a manifest. `owner` is its record or project. */
type Page = PixelSize & {
  owner: string
  file: string
  caption: string
  creator: string
  licence: string
  date: string
  /** What communities say of the use of the picture. */
  labels: readonly ShownLabel[]
}

/** The parts of a manifest of a record or a project. */
type ManifestParts = {
  id: string
  label: Words
  summary: string
  metadata: readonly Pair[]
  /** What communities say of the use of the whole. */
  labels: readonly ShownLabel[]
  /** Its page for people. */
  homepage: string | undefined
  seeAlso: { id: string; type: string; format: string; label: Words }
  pages: readonly Page[]
  face: Page
}

/** The longer side of the image that a viewer shows first, in pixels. */
const FIRST_IMAGE_SIDE = 1200
/** The most characters of a summary. */
const MAX_SUMMARY = 2000

const wordsShape = () => v.record(s.text, v.array(s.text))
const pairShape = () => v.object({ label: wordsShape(), value: wordsShape() })
const imageServiceShape = () => v.object({ id: s.text, type: v.literal('ImageService3'), profile: v.literal('level2') })
const imageShape = () =>
  v.object({
    id: s.text,
    type: v.literal('Image'),
    format: s.text,
    width: s.whole,
    height: s.whole,
    service: v.array(imageServiceShape()),
  })
const annotationShape = () =>
  v.object({
    id: s.text,
    type: v.literal('Annotation'),
    motivation: v.literal('painting'),
    target: s.text,
    body: imageShape(),
  })
const canvasShape = () =>
  v.object({
    id: s.text,
    type: v.literal('Canvas'),
    label: wordsShape(),
    width: s.whole,
    height: s.whole,
    metadata: v.optional(v.array(pairShape())),
    requiredStatement: v.optional(pairShape()),
    rights: v.optional(s.text),
    thumbnail: v.array(imageShape()),
    items: v.array(v.object({ id: s.text, type: v.literal('AnnotationPage'), items: v.array(annotationShape()) })),
  })
/** A IIIF Presentation 3.0 manifest: the pictures of a record or of a project. */
export const PictureManifestView = s.shape('PictureManifest', () =>
  v.object({
    '@context': v.literal('http://iiif.io/api/presentation/3/context.json'),
    id: s.text,
    type: v.literal('Manifest'),
    label: wordsShape(),
    summary: v.optional(wordsShape()),
    metadata: v.array(pairShape()),
    requiredStatement: v.optional(pairShape()),
    thumbnail: v.array(imageShape()),
    homepage: v.optional(
      v.array(v.object({ id: s.text, type: v.literal('Text'), label: wordsShape(), format: s.text })),
    ),
    seeAlso: v.array(v.object({ id: s.text, type: v.literal('Dataset'), format: s.text, label: wordsShape() })),
    items: v.array(canvasShape()),
  }),
)

type Manifest = s.Output<typeof PictureManifestView>

/** The manifest of a record's pictures. Undefined if it has none. */
export function manifestOfRecord(it: RecordItem, origin: string): Manifest | undefined {
  const pictures = picturesIn(it.data)
  const labels = labelsView(it.labels)
  const pages = pictures.map((picture) =>
    pageOf(
      it.entity_id,
      picture,
      labels.filter((label) => pictureOf(label) === picture.id),
    ),
  )
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
      ...Object.entries(kind.fields).flatMap(([name, field]) => pairsOf(field, it.data[name])),
    ],
    labels: labels.filter((label) => pictureOf(label) === undefined),
    homepage: pageAddress(origin, it),
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

/** The types of fields that a manifest shows: dates and choices. Relations and places are left out. */
const shownTypes: ReadonlySet<Field['type']> = new Set(['select', 'date', 'edtf_date'])
const pairsOf = (field: Field, value: unknown): Pair[] =>
  shownTypes.has(field.type) && field.section === 'basic' && textOf(value) !== ''
    ? [pair(field.label, textOf(value))]
    : []

const pair = (label: string, value: string): Pair => ({ label: { en: [label] }, value: { none: [value] } })

const pageOf = (owner: string, it: Picture, labels: readonly ShownLabel[]): Page => ({
  labels,
  owner,
  file: it.id,
  width: it.width ?? 0,
  height: it.height ?? 0,
  caption: it.caption ?? '',
  creator: it.creator ?? '',
  licence: it.licence ?? '',
  date: it.date ?? '',
})

/** The manifest of a project's images. Undefined if it has none. */
export function manifestOfProject(about: Project, assets: readonly Asset[], origin: string): Manifest | undefined {
  const pages = assets.flatMap((it) => {
    const size = uprightSize(it)
    if (!size) return []
    return [
      {
        owner: about.id,
        file: it.id,
        width: size.width,
        height: size.height,
        caption: it.caption,
        creator: it.source_institution,
        licence: about.license,
        date: '',
        labels: [],
      },
    ]
  })
  const [face] = pages
  if (!face) return undefined
  return manifest(origin, {
    id: `/data/manifests/projects/${about.slug}/`,
    label: { none: [about.title] },
    summary: about.abstract,
    metadata: [pair('Licence', about.license), ...(about.tags.length > 0 ? [pair('Tags', about.tags.join(', '))] : [])],
    labels: [],
    homepage: undefined,
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

function manifest(
  origin: string,
  { id, label, summary, metadata, labels, homepage, seeAlso, pages, face }: ManifestParts,
): Manifest {
  const address = `${origin}${id}`
  return {
    '@context': PRESENTATION_CONTEXT,
    id: address,
    type: 'Manifest',
    label,
    ...(summary && { summary: { none: [cut(summary, MAX_SUMMARY)] } }),
    metadata,
    ...requiredStatement('', labels),
    thumbnail: [thumbnail(face, origin)],
    ...(homepage !== undefined && { homepage: [{ id: homepage, type: 'Text' as const, label, format: 'text/html' }] }),
    seeAlso: [seeAlso],
    items: pages.map((page, i) => canvas(page, `${address}canvas/${i + 1}`, origin, i + 1)),
  }
}

/** What a viewer has to show: the credit, and what communities say of the use, in both languages. Absent if both are empty. */
function requiredStatement(credit: string, labels: readonly ShownLabel[]): { requiredStatement?: Pair } {
  if (credit === '' && labels.length === 0) return {}
  // A canvas shows one picture, so its labels do not name the picture.
  const lines = labels.map((it) => labelLines(pictureOf(it) === undefined ? it : { ...it, on: null }))
  const said = labels.length > 0 && { en: lines.map(({ en }) => en), ne: lines.map(({ ne }) => ne) }
  return {
    requiredStatement: {
      label: { en: [credit === '' ? 'Terms of use' : 'Attribution'] },
      value: { ...(credit !== '' && { none: [credit] }), ...said },
    },
  }
}

/** One picture as a canvas of its size, with the image on it. */
function canvas(page: Page, id: string, origin: string, number: number) {
  const { width, height, caption, creator, licence, date, labels } = page
  const rights = licenceAddress(licence)
  const credit = [creator, licence].filter(Boolean).join(', ')
  return {
    id,
    type: 'Canvas',
    label: { none: [caption || `Picture ${number}`] },
    width,
    height,
    ...(date && { metadata: [pair('Date', date)] }),
    ...requiredStatement(credit, labels),
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

function body(page: Page, origin: string) {
  const base = `${origin}${imagePath(page.owner, page.file)}`
  const first = fitInto(page, FIRST_IMAGE_SIDE)
  return { id: sizedPath(base, first), type: 'Image', format: 'image/jpeg', ...first, service: [service(base)] }
}

function thumbnail(page: Page, origin: string) {
  const base = `${origin}${imagePath(page.owner, page.file)}`
  const { url, ...size } = thumbnailAt(base, page)
  return { id: url, type: 'Image', format: 'image/jpeg', ...size, service: [service(base)] }
}

const service = (id: string) => ({ id, type: 'ImageService3', profile: 'level2' })
