import { config } from '../../base/config.ts'
import { kinds, type Picture, reviewedKinds } from '../../domain/kinds/index.ts'
import { imagePath, licenceAddress } from '../../domain/pictures/view.ts'
import { persistentAddress, recordIri, resourcePath } from '../../domain/records/iri.ts'
import type { RecordRow } from '../../domain/records/items.ts'
import { recordFormats } from '../linked/formats.ts'

type Named = Pick<RecordRow, 'kind' | 'id'>

/** Whether records of a kind have an address that stays. */
export const hasAddress = (kind: string): boolean => reviewedKinds.some((it) => it === kind)

/** The path of a record in one form, as it stands today or stood at a moment. */
export const formPath = (it: Named, format: string, at: string | undefined): string =>
  `${resourcePath(it)}/?${at === undefined ? '' : `at=${encodeURIComponent(at)}&`}format=${format}`

/** The address at which a browser finds the page of a record. For a kind without numbers it is the IRI, which redirects to the page. */
export const pageAddress = (origin: string, it: Named & { entity_id: string }): string =>
  kinds[it.kind].record ? persistentAddress(origin, it) : recordIri(origin, it)

/** The page of the dashboard about a record. Undefined if no dashboard is configured. */
export const dashboardAddress = ({ kind, id }: Named): string | undefined =>
  config.DASHBOARD_URL === '' ? undefined : `${withoutSlash(config.DASHBOARD_URL)}/knowledge/${kind}/view/${id}`

const withoutSlash = (address: string) => address.replace(/\/+$/, '')

/** The address of the licence of public records. Undefined if no licence is configured, or if it has no address. */
export const publicLicence = (): string | undefined =>
  config.EXPORT_LICENCE === '' ? undefined : licenceAddress(config.EXPORT_LICENCE)

export type Link = { to: string; rel: string; type?: string; datetime?: string }

/** A link as the header `Link` (RFC 8288) and TimeMaps write it. */
export const linkValue = ({ to, rel, type, datetime }: Link): string =>
  `<${to}>; rel="${rel}"${type ? `; type="${type}"` : ''}${datetime ? `; datetime="${datetime}"` : ''}`

/** The most pictures that a header names. */
const MOST_ITEMS = 10

/**
 * What machines follow without reading the answer (Signposting). `cite-as` is the address that stays. `describedby` leads to metadata of
 * that moment, `item` to pictures, `license` to the licence. `type` says that the address is that of a page.
 */
export function signposts(
  origin: string,
  it: Named & { entity_id: string },
  { pictures, at }: { pictures: readonly Picture[]; at: string | undefined },
): Link[] {
  const licence = publicLicence()
  return [
    { to: persistentAddress(origin, it), rel: 'cite-as' },
    ...recordFormats.map(({ name, type }) => ({
      to: `${origin}${formPath(it, name, at)}`,
      rel: type === 'text/html' ? 'alternate' : 'describedby',
      type,
    })),
    ...pictures.slice(0, MOST_ITEMS).map(({ id }) => ({
      to: `${origin}${imagePath(it.entity_id, id)}/full/max/0/default.jpg`,
      rel: 'item',
      type: 'image/jpeg',
    })),
    ...(licence === undefined ? [] : [{ to: licence, rel: 'license' }]),
    { to: 'https://schema.org/AboutPage', rel: 'type' },
  ]
}
