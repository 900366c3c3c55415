import { type KindKey, kinds } from '../../domain/kinds/index.ts'
import { labelLines, labelsView } from '../../domain/labels/labels.ts'
import { namesOf, textOf } from '../../domain/names/text.ts'
import { picturesIn } from '../../domain/pictures/items.ts'
import { imagePath, licenceAddress, thumbnailAt } from '../../domain/pictures/view.ts'
import { persistentAddress, resourcePath, sameThingIri } from '../../domain/records/iri.ts'
import { changedAt } from '../../domain/records/items.ts'
import { visibleValuesAndPoint } from '../../domain/records/views/record.ts'
import { dashboardAddress, publicLicence } from './address.ts'
import type { PageContext } from './context.ts'
import { webAddress } from './html.ts'
import type { RecordModel } from './record-model.ts'

/** The type of schema.org of each kind that has one. Any other kind is a `Thing`. */
const types: Partial<Record<KindKey, string>> = {
  structure: 'LandmarksOrHistoricalBuildings',
  monument: 'LandmarksOrHistoricalBuildings',
  location: 'Place',
  person: 'Person',
  guthi: 'Organization',
  iconography: 'VisualArtwork',
  source: 'CreativeWork',
  event: 'Event',
  festival: 'Event',
  ritual: 'Event',
}

/** A record in the words of schema.org, for search engines. */
export function schemaOrgOf({ record, actor }: RecordModel, { origin, language }: PageContext): object {
  const { data, point } = visibleValuesAndPoint(record, actor)
  const [name, ...others] = namesOf(record.name, data)
  const pictures = picturesIn(data)
  const terms = labelsView(record.labels)
  const same = Array.isArray(data.same_as) ? data.same_as.flatMap(webAddressOfThing) : []
  const description = textOf(data.description) || textOf(data.biography) || textOf(data.note)
  return {
    '@context': 'https://schema.org',
    '@type': 'WebPage',
    '@id': `${origin}${resourcePath(record)}/`,
    url: dashboardAddress(record) ?? `${origin}${resourcePath(record)}`,
    inLanguage: language,
    dateModified: changedAt(record),
    license: publicLicence(),
    // What communities say of its use.
    conditionsOfAccess: terms.length > 0 ? terms.map((it) => labelLines(it)[language]) : undefined,
    mainEntity: {
      '@type': types[record.kind] ?? 'Thing',
      '@id': persistentAddress(origin, record),
      name,
      alternateName: others.length > 0 ? others : undefined,
      additionalType: kinds[record.kind].label,
      description: description || undefined,
      identifier: `urn:uuid:${record.entity_id}`,
      sameAs: same.length > 0 ? same : undefined,
      ...(point &&
        hasPlace(record.kind) && { geo: { '@type': 'GeoCoordinates', latitude: point.lat, longitude: point.lng } }),
      image: pictures.length > 0 ? pictures.map((it) => imageOf(record.entity_id, it, origin)) : undefined,
    },
  }
}

/** The address of a thing in another collection, if it may be linked to. */
const webAddressOfThing = (link: unknown): string[] => {
  const text = textOf(link)
  const address = webAddress(sameThingIri(text) ?? text)
  return address === undefined ? [] : [address]
}

/** Only places have coordinates in schema.org. */
const hasPlace = (kind: KindKey) => ['structure', 'monument', 'location'].includes(kind)

function imageOf(owner: string, picture: ReturnType<typeof picturesIn>[number], origin: string) {
  const path = `${origin}${imagePath(owner, picture.id)}`
  const size = { width: picture.width ?? 0, height: picture.height ?? 0 }
  return {
    '@type': 'ImageObject',
    contentUrl: `${path}/full/max/0/default.jpg`,
    thumbnailUrl: thumbnailAt(path, size).url,
    caption: picture.caption || undefined,
    creditText: picture.creator || undefined,
    license: picture.licence ? licenceAddress(picture.licence) : undefined,
  }
}
